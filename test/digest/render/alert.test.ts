import { expect, test } from 'vitest';
import { composeAlert } from '../../../src/digest/render/alert.ts';

const alert = {
  key: 'token valley',
  what: 'valley: token refused',
  cause: 'The service refuses <b>the token</b>.',
  command: 'npm start -- run --account valley',
  sinceRunDate: null,
};

test('an alert mail has cause and command of each alert, in text and HTML', () => {
  const { subject, text, html } = composeAlert([
    alert,
    { ...alert, what: 'coast: held', sinceRunDate: '2026-03-04' },
  ]);
  expect(subject).toBe('Callsheet needs you: valley: token refused and 1 more');
  for (const part of ['2 things need your attention.', 'coast: held', 'Since the night of 2026-03-04. ']) {
    expect(text).toContain(part);
    expect(html).toContain(part);
  }
  expect(text).toContain(
    '  The service refuses <b>the token</b>.\n  To type:  npm start -- run --account valley',
  );
  expect(html).toContain('The service refuses &lt;b&gt;the token&lt;/b&gt;.');
  expect(html).toContain('npm start -- run --account valley');
});

test('a long alert is cut in the subject alone', () => {
  const what = 'x'.repeat(200);
  const { subject, text } = composeAlert([{ ...alert, what }]);
  expect(subject).toBe(`Callsheet needs you: ${'x'.repeat(119)}…`);
  expect(text).toContain(`Something needs your attention.\n\n${what}\n`);
});
