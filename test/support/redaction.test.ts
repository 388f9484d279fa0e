import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor, excerpt, redacted } from '../../src/support/redaction.ts';
import { type Encoding, encodedBy, encodings, spellingsOf } from '../security/encodings.ts';

/** Signs and pieces that mean something in a URL, in JSON, in HTML, in an expression, or in lower case. */
const awkward = fc.constantFrom(
  ...['+', '/', '=', '%', '&', ' ', '"', "'", '\\', '?', '#', '$&', '.*', ')', '&#', '%2', '\n', '\t'],
  ...['%41', '\\u0041', '\\n', '&amp;', 'ñ', 'İ', 'Σ', '\u212a', '日', '🎉'],
);
const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789');
const anySign = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 });
/** Secrets that aren't part of `[redacted]` itself. */
const secrets = fc
  .array(fc.oneof({ weight: 3, arbitrary: letter }, { weight: 2, arbitrary: awkward }, anySign), {
    minLength: 3,
    maxLength: 30,
  })
  .map((parts) => parts.join(''))
  // Such an end may be decoded to another sign with what follows.
  .filter((secret) => !redacted.includes(secret.toLowerCase()) && !/[\\%&]$/.test(secret));
const surroundings = fc.constantFrom(
  ...['', ' ', '"', 'λ', ': ', ',', '}', '\n', '?sidtoken=', '&x=1', '/login?return=', '<a href="', 'token '],
);
const chains = fc.array(fc.constantFrom(...(Object.keys(encodings) as Encoding[])), { maxLength: 3 });

const redactorOf = (...known: string[]) => {
  const redactor = createRedactor();
  for (const secret of known) redactor.learn(secret);
  return redactor;
};

describe('a redactor', () => {
  test('replaces a secret in up to three encodings, and nothing beside it', () => {
    fc.assert(
      fc.property(secrets, chains, surroundings, surroundings, (secret, chain, before, after) => {
        const encoded = encodedBy(chain, secret);
        const clean = redactorOf(secret).redact(before + encoded + after);
        expect(clean).not.toContain(encoded);
        expect(clean).toContain(redacted);
        // Letters and slashes next to base64 may be a part of it.
        if (!chain.some((encoding) => encoding.startsWith('base64')))
          expect(clean).toBe(before + redacted + after);
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([
    [
      '/login?return=%2Fapi%2FgetClients.wr%3Fsidtoken%3DZq7%252Bk4%252Fx9%253D',
      '/login?return=%2Fapi%2FgetClients.wr%3Fsidtoken%3D*',
    ],
    ['Authorization: Basic dXNlcjpacTcrazQveDk9, then', 'Authorization: Basic *, then'],
    ['{"key":"WnE3K2s0L3g5PTpu","path":"\\/a"}', '{"key":"*","path":"\\/a"}'],
    ['535 AHVzZXIAWnE3K2s0L3g5PQ== refused', '535 * refused'],
    ['<b>Zq7&plus;k4&sol;x9&#061;</b>&nbsp;', '<b>*</b>&nbsp;'],
    ['the page /cGFzczpacTcrazQveDk9/x', 'the page *'],
    ['Zq7 k4/x9= was read as a form', '* was read as a form'],
    ['ZQ7%2bK4%2fX9%3d', '*'],
    ['sha256 WnE3ODQveDkhIkFB', 'sha256 WnE3ODQveDkhIkFB'],
  ])('replaces the word that decodes to a secret: %s', (text, clean) => {
    expect(redactorOf('Zq7+k4/x9=').redact(text)).toBe(clean.replace('*', redacted));
  });

  test('replaces a long secret whose end is decoded to another sign with what follows', () => {
    expect(redactorOf('a<long-secret\\').redact('"a&lt;long-secret\\"')).toBe(`"${redacted}\\"`);
  });

  test('takes four passes at most, however long a chain looks', () => {
    const text = `%${'25'.repeat(16_000)}41`;
    expect(redactorOf('a-secret+').redact(text)).toBe(text);
  });

  test('leaves no remainder of a secret that contains another, in whatever order they were added', () => {
    fc.assert(
      fc.property(secrets, fc.constantFrom('λ', 'μω'), chains, (inner, beside, chain) => {
        const outer = beside + inner + beside;
        for (const redactor of [redactorOf(inner, outer), redactorOf(outer, inner)])
          for (const secret of [outer, inner])
            expect(redactor.redact(`<${encodedBy(chain, secret)}>`)).toBe(`<${redacted}>`);
      }),
      { numRuns: 500 },
    );
  });

  test('leaves a text as it is while it knows no secret of three characters at least', () => {
    const redactor = createRedactor();
    expect(redactor.redact('sidtoken=abc')).toBe('sidtoken=abc');
    for (const secret of ['', 'e', 'to']) redactor.learn(secret);
    expect(redactor.redact('sidtoken=abc')).toBe('sidtoken=abc');
  });

  test('leaves a short secret in a value, where it may be a word, and replaces it in a text', () => {
    const redactor = redactorOf('demo', 'a+b/c');
    for (const value of ['demo', 'Product demo', 'demographics', 'a+b/c', 'a%2Bb%2Fc', 'ZGVtbw=='])
      expect(redactor.redactValue(value)).toBe(value);
    expect(redactor.redact('Product demo')).toBe(`Product ${redacted}`);
  });

  test('replaces a secret of 12 characters in any encoding within any value', () => {
    for (const secret of ['twelve+chars', 'twelve-charsİ'])
      for (const spelling of spellingsOf(secret))
        expect(redactorOf('demo', secret).redactValue(`for ${spelling}, again`)).toBe(
          `for ${redacted}, again`,
        );
  });

  test('comes back to what it redacted before, even with a secret that is part of "redacted"', () => {
    const redactor = redactorOf('act', 'redacted');
    expect(redactor.redact(`the ${redacted} token`)).toBe(`the ${redacted} token`);
  });

  test('finds any of 2,000 secrets, and the same as if it knew no other', () => {
    const others = Array.from({ length: 2_000 }, (_, index) => `${hash('sha256', `${index}`, 'base64')}&"`);
    const many = redactorOf(...others);
    for (const token of others.filter((_, index) => index % 100 === 0)) {
      const text = spellingsOf(token).join(' ');
      expect(many.redact(text)).toBe(redactorOf(token).redact(text));
      expect(many.redactValue(text)).toBe(redactorOf(token).redact(text));
    }
  });
});

describe('the beginning of a long text', () => {
  test('is as long as it may be, and nothing behind it is looked at', () => {
    const redactor = redactorOf('a-secret+');
    expect(redactor.redact('x'.repeat(50), 50)).toHaveLength(50);
    expect(redactor.redact('x'.repeat(1_000), 50)).toBe('x'.repeat(50));
    expect(redactor.redact(`${'x'.repeat(40)}a-secret+${'x'.repeat(900)}`, 60)).toMatch(/^x{40}\[redacted\]/);
  });

  test('never holds a part of a secret, wherever it is cut and however the secret is encoded', () => {
    const sign = fc.constantFrom('a', 'b', '+', '/', '"', '&', '日', '🎉');
    const secret = fc.array(sign, { minLength: 3, maxLength: 30 }).map((signs) => signs.join(''));
    fc.assert(
      fc.property(secret, chains, fc.nat(200), fc.nat(20), (known, chain, maxLength, before) => {
        const encoded = `${encodedBy(chain, known)} `;
        fc.pre(encoded.length < 100 * known.length);
        const clean = redactorOf(known).redact('λ'.repeat(before) + encoded.repeat(200), maxLength);
        expect(clean).toMatch(/^λ*(?:\[redacted\] )*\[?[a-z]*\]?$/);
        const rest = clean.replaceAll(`${redacted} `, '').replaceAll('λ', '');
        expect(redacted).toContain(rest);
      }),
      { numRuns: 500 },
    );
  });
});

describe('an excerpt of a text of others', () => {
  test('is one short line that the database can hold', () => {
    const hostile = `550 no\0\u001b[2J\r\n550 ${'x'.repeat(300)}\ud800`;
    const line = excerpt(hostile, redactorOf());
    expect(line).toMatch(/^550 no \[2J 550 x+$/);
    expect(line).toHaveLength(200);
  });

  test('shows no half of a secret at its end', () => {
    const redactor = redactorOf('a-token-of-20-signs!');
    for (let before = 0; before < 30; before++) {
      const line = excerpt(`${'x'.repeat(before)}a-token-of-20-signs!`.repeat(500), redactor, 50);
      expect(line).not.toMatch(/a-t/);
    }
  });
});

describe('in a text of our own', () => {
  const { learn, learnPassword, redactOwn, redact } = createRedactor();
  learn('session');
  for (const password of ['mail', 't0ken', 'an-ordinary-secret', 'abcdefghijkl', 'session'])
    learnPassword(password);

  test('a password that is an ordinary word stays where it is one of the sentence', () => {
    for (const text of [
      'mail waits',
      'no mail (mail: 2 written), e-mail, mails and email',
      "the mail's reply, by mail.",
      'MAIL_FAILED',
    ])
      expect(redactOwn(text)).toBe(text);
    expect(redact('no mail')).toBe(`no ${redacted}`);
  });

  test('it is replaced in an address, an assignment, quotes and an encoded text', () => {
    for (const [text, clean] of [
      ['smtp://ana:mail@host', `smtp://ana:${redacted}@host`],
      ['?sidtoken=mail&a=b', `?sidtoken=${redacted}&a=b`],
      ['SIDTOKEN=mail', `SIDTOKEN=${redacted}`],
      ['password \'Mail\' or "mail"', `password '${redacted}' or "${redacted}"`],
      ['sidtoken%3Dmail', `sidtoken%3D${redacted}`],
    ] as const)
      expect(redactOwn(text)).toBe(clean);
  });

  test('any other secret is replaced everywhere: it has a sign or a digit, is long, or is a session token', () => {
    for (const secret of ['t0ken', 'an-ordinary-secret', 'abcdefghijkl', 'session'])
      expect(redactOwn(`the ${secret} is refused`)).toBe(`the ${redacted} is refused`);
  });
});
