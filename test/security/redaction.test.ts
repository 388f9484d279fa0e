import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodings, unescaped } from '../../src/support/decodings.ts';
import { createRedactor, excerpt, redacted } from '../../src/support/redaction.ts';
import { encodeBy, encodings, stacks } from './encodings.ts';

const redactorOf = (...secrets: string[]) => {
  const redactor = createRedactor();
  for (const secret of secrets) redactor.learn(secret);
  return redactor;
};

const signs = fc.constantFrom(...'+/=_-.~!*$&%?#@:;,<>()|"\'\\');
const letters = fc.constantFrom(...'abcxyzABCXYZ0123456789');
const text = (character: fc.Arbitrary<string>, minLength: number, maxLength: number) =>
  fc.array(character, { minLength, maxLength }).map((characters) => characters.join(''));
const character = fc.oneof(letters, letters, signs, fc.constantFrom('ñ', '日', '🎉'));
/** One that itself looks encoded is decoded along with its encodings. */
const isPlain = (secret: string) => unescaped(secret) === secret;
/** Beside letters that aren't ASCII's, which no token has, or in a short one, these may leave a part of it. */
const looksEncoded = /[&%\\]/;
const isAscii = (secret: string) => /^[ -~]*$/.test(secret);
const longSecrets = text(character, 12, 40).filter(
  (secret) => isPlain(secret) && (isAscii(secret) || !looksEncoded.test(secret)),
);
const shortSecrets = text(character, 7, 11).filter(
  (secret) => isPlain(secret) && secret.length < 12 && !looksEncoded.test(secret),
);
// Of letters that no secret has.
const noise = text(fc.constantFrom('λ', 'μ', 'ω', ' '), 0, 6);
/** What is left beside it: of what encodes the secret's first or last sign, a part may stay, and backslashes. */
const restOf = (clean: string) => clean.replaceAll(redacted, '').replaceAll(/[λμω \\]|%(?:25)*5c/gi, '');

describe('a secret', () => {
  test.each([
    ['long', longSecrets],
    ['short', shortSecrets],
  ])('that is %s survives in no text, whatever up to four encodings lie on it', (_, secrets) => {
    fc.assert(
      fc.property(secrets, stacks, noise, noise, (secret, stack, before, after) => {
        const clean = redactorOf(secret).redact(`${before}${encodeBy(stack, secret)}${after}`);
        expect(clean).toContain(redacted);
        expect(restOf(clean).length).toBeLessThan(7);
      }),
      { numRuns: 3_000 },
    );
  });

  test('is found in base64 though it ends with a backslash that escapes what follows', () => {
    const secret = 'ñaañaaa++aa\\';
    const encoded = Buffer.from(`\0${secret.replaceAll('+', '&plus;')}:y`).toString('base64');
    expect(redactorOf(secret).redact(encoded)).toBe(redacted);
  });

  test('takes no more than its word along where it is short', () => {
    for (const { name, encode } of encodings.filter((each) => !each.name.includes('base64 in lines'))) {
      const clean = redactorOf('s3cr3t/').redact(`535 refused: ${encode('s3cr3t/')} for ana`);
      expect(clean, name).toMatch(/^535 refused: \S*\[redacted\]\S* for ana$/);
    }
  });
});

describe('a text without a secret', () => {
  const words = fc.array(fc.oneof(noise, text(character, 0, 60)), { maxLength: 6 });
  const texts = fc.tuple(words, stacks).map(([parts, stack]) => parts.join(encodeBy(stack, parts.join(' '))));

  test('comes back unchanged, whatever it decodes to', () => {
    fc.assert(
      fc.property(fc.uuid(), shortSecrets, texts, (long, short, plain) => {
        fc.pre(!plain.includes(short));
        expect(redactorOf(long, `§${short}`).redact(plain)).toBe(plain);
      }),
      { numRuns: 2_000 },
    );
  });

  test('comes back unchanged where it was redacted before, even of a secret that is part of "redacted"', () => {
    const redactor = redactorOf('act', 'redacted');
    expect(redactor.redact(`the ${redacted} token`)).toBe(`the ${redacted} token`);
  });
});

/** Characters that are searched for secrets. */
function stepsFor(hostile: string): number {
  let steps = 0;
  for (const decoded of decodings(hostile, 4)) steps += decoded.length + 1;
  return steps;
}

const nested = (size: number) =>
  encodeBy(Array(4).fill(encodings.find(({ name }) => name === 'base64')!), 'x'.repeat(size));

test.each<[string, (size: number) => string]>([
  ['one long word', (size) => 'A'.repeat(size)],
  ['base64 that is base64 wherever it begins', (size) => 'V'.repeat(size)],
  ['base64 of base64 of base64', nested],
  ['percent-encoding of percent-encoding', (size) => `%${'25'.repeat(size)}41`],
  ['escaped percents', (size) => '%252525'.repeat(size)],
  ['entities that never end', (size) => `&#x${'0'.repeat(size)}`],
  ['escapes that never end', (size) => `\\u{${'0'.repeat(size)}`],
  ['backslashes', (size) => '\\'.repeat(size)],
  ['short words', (size) => 'abc%41 '.repeat(size)],
  ['lines', (size) => 'abc\r\n \t'.repeat(size)],
])('the search in %s takes twice the steps for twice the text', (_, hostile) => {
  const ratio = stepsFor(hostile(20_000)) / stepsFor(hostile(10_000));
  expect(ratio).toBeLessThan(2.01);
});

test('an excerpt of a text of others is one short line that the database can hold', () => {
  const hostile = `550 no\0\u001b[2J\r\n550 ${'x'.repeat(300)}\ud800`;
  const line = excerpt(hostile, redactorOf());
  expect(line).toMatch(/^550 no \[2J 550 x+$/);
  expect(line).toHaveLength(200);
});
