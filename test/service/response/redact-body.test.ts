import { expect, it } from 'vitest';
import { redactJson } from '../../../src/service/response/redact-body.ts';
import { createRedactor } from '../../../src/support/redaction.ts';

const [short, long] = ['demo', 'a-token-of-20-signs!'];
const redactor = createRedactor();
for (const token of [short, long]) redactor.learn(token);
const redacted = (value: unknown) => redactJson(value, redactor);

it('a token is replaced in texts and lists, however deep, and numbers stay as they are', () => {
  const digits = createRedactor();
  digits.learn('12');
  expect(redactJson({ a: [12, '12', { b: '12' }], c: null, d: true }, digits)).toEqual({
    a: [12, '[redacted]', { b: '[redacted]' }],
    c: null,
    d: true,
  });
});

it('a short token is replaced as a whole value, a long one within one, too', () => {
  expect(redacted(['demo', 'a demo', long, `of ${long}`])).toEqual([
    '[redacted]',
    'a demo',
    '[redacted]',
    'of [redacted]',
  ]);
});

it('a token is replaced in a name from twelve characters on, where it is no word of the service’s', () => {
  expect(redacted({ demo: 1, [long]: 2 })).toEqual({ demo: 1, '[redacted]': 2 });
  const twelve = createRedactor();
  for (const token of ['elevensigns', 'twelve-signs']) twelve.learn(token);
  expect(redactJson({ elevensigns: 1, 'twelve-signs': 2 }, twelve)).toEqual({
    elevensigns: 1,
    '[redacted]': 2,
  });
});

it('the parameter of a request is replaced where it is a token, and only there', () => {
  expect(redacted('GET /x.wr?SIDTOKEN=demo&sidtoken=other&a="sidtoken=demo"')).toBe(
    'GET /x.wr?SIDTOKEN=[redacted]&sidtoken=other&a="sidtoken=[redacted]"',
  );
});

it('a field named __proto__ is one of its fields', () => {
  expect(JSON.stringify(redacted(JSON.parse('{"__proto__":"demo"}')))).toBe('{"__proto__":"[redacted]"}');
});
