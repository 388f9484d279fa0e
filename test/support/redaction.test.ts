import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor, excerpt, redacted } from '../../src/support/redaction.ts';

function spellings(secret: string): string[] {
  const form = new URLSearchParams({ sidtoken: secret }).toString().replace('sidtoken=', '');
  const percent = encodeURIComponent(secret);
  const lower = (text: string) => text.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const json = (text: string) => JSON.stringify(text).slice(1, -1);
  const slashed = json(secret).replaceAll('/', '\\/');
  // Gson and others escape every character but letters and digits.
  const escaped = secret.replaceAll(
    /[^a-z\d]/gi,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const references = [...secret]
    .map((sign) => (/[a-z\d]/i.test(sign) ? sign : `&#${sign.codePointAt(0)};`))
    .join('');
  const plain = [secret, form, percent, lower(form), lower(percent)];
  const unit = (sign: string) => sign.charCodeAt(0).toString(16).padStart(4, '0');
  const all = secret.replaceAll(/./gs, (sign) => `\\u${unit(sign)}`);
  const upper = secret.replaceAll(/./gs, (sign) => `\\u${unit(sign).toUpperCase()}`);
  // JSON in a text of JSON.
  const nested = json(all);
  return [...plain, json(secret), slashed, escaped, references, all, upper, nested];
}

// Without brackets: next to one, `[redacted]` could complete a secret.
const awkward = ['+', '/', '=', '%', '&', ' ', '"', "'", '\\', '?', '#', '$', '$&', '.*', ')', '~', '!'];
const character = fc.constantFrom(
  ...awkward,
  '%2',
  '%41',
  '\n',
  '\t',
  'ñ',
  'é',
  // In lower case, these have an ASCII letter.
  'İ',
  '\u212a',
  '日',
  '🎉',
  'a',
  'B',
  '7',
  'z',
);
/** Secrets that aren't part of `[redacted]` itself. */
const secrets = fc
  .array(character, { minLength: 1, maxLength: 12 })
  .map((app) => app.join(''))
  .filter((secret) => !spellings(redacted).join().includes(secret));
const noise = fc.array(fc.constantFrom('λ', 'μ', 'ω'), { maxLength: 4 }).map((app) => app.join(''));

const redactorOf = (...known: string[]) => {
  const redactor = createRedactor();
  for (const secret of known) redactor.learn(secret);
  return redactor;
};

describe('a redactor', () => {
  test('replaces a secret in each of its spellings, every time, and nothing beside it', () => {
    fc.assert(
      fc.property(secrets, noise, noise, (secret, before, after) => {
        const redactor = redactorOf(secret);
        for (const spelling of spellings(secret)) {
          const text = `${before}${spelling}${after}λ${spelling}`;
          expect(redactor.redact(text)).toBe(`${before}${redacted}${after}λ${redacted}`);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('lets no spelling survive, in whatever a text has around it', () => {
    fc.assert(
      fc.property(
        secrets,
        fc.array(fc.oneof(noise, character)),
        fc.nat({ max: 11 }),
        (secret, app, index) => {
          const text = [...app, spellings(secret)[index], ...app].join('');
          const clean = redactorOf(secret).redact(text);
          for (const spelling of spellings(secret)) expect(clean).not.toContain(spelling);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('leaves no remainder of a secret that contains another, in whatever order they were added', () => {
    fc.assert(
      fc.property(secrets, noise, noise, (inner, before, after) => {
        fc.pre(before + after !== '');
        const outer = before + inner + after;
        for (const redactor of [redactorOf(inner, outer), redactorOf(outer, inner)]) {
          for (const spelling of spellings(outer))
            expect(redactor.redact(`<${spelling}>`)).toBe(`<${redacted}>`);
          for (const spelling of spellings(inner))
            expect(redactor.redact(`<${spelling}>`)).toBe(`<${redacted}>`);
        }
      }),
    );
  });

  test('replaces a token in a page of HTML, as the page writes it, and nothing else of the page', () => {
    for (const [token, written] of [
      ['ab&cd', 'ab&amp;cd'],
      ['ab<cd', 'ab&lt;cd'],
      ['ab>cd', 'ab&gt;cd'],
      ['ab"cd', 'ab&quot;cd'],
      ['a&b<c>d"e&f', 'a&amp;b&lt;c&gt;d&quot;e&amp;f'],
    ] as const) {
      const redactor = redactorOf(token);
      expect(redactor.redact(`<p>token&nbsp;=${written}.</p>`)).toBe(`<p>token&nbsp;=${redacted}.</p>`);
    }
  });

  test('leaves a text as it is while it knows no secret, and after adding an empty one', () => {
    const redactor = createRedactor();
    expect(redactor.redact('sidtoken=abc')).toBe('sidtoken=abc');
    redactor.learn('');
    expect(redactor.redact('sidtoken=abc')).toBe('sidtoken=abc');
  });

  test('leaves a short secret in a value, where it may be a word, and replaces it in a text', () => {
    const redactor = redactorOf('demo', 'a+b/c');
    for (const value of ['demo', 'Product demo', 'demographics', 'a+b/c', 'a%2Bb%2Fc'])
      expect(redactor.redactValue(value)).toBe(value);
    expect(redactor.redact('Product demo')).toBe(`Product ${redacted}`);
  });

  test('replaces a secret in whatever case its letters come', () => {
    const redactor = redactorOf('MixedCase+Token7');
    for (const text of ['mixedcase+token7', 'MIXEDCASE+TOKEN7', 'mixedcase%2btoken7'])
      expect([redactor.redact(text), redactor.redactValue(text)]).toEqual([redacted, redacted]);
  });

  test('replaces a secret of 12 characters in each of its spellings within any value', () => {
    for (const secret of ['twelve+chars', 'twelve-charsİ'])
      for (const spelling of spellings(secret))
        expect(redactorOf(secret).redactValue(`for ${spelling}, again`)).toBe(`for ${redacted}, again`);
  });

  test('comes back to what it redacted before, even with a secret that is part of "redacted"', () => {
    const redactor = redactorOf('act', 'redacted');
    expect(redactor.redact(`the ${redacted} token`)).toBe(`the ${redacted} token`);
  });
});

describe('a redactor of 2,000 secrets', () => {
  const tokens = Array.from({ length: 2_000 }, (_, index) => `${hash('sha256', `${index}`, 'base64')}&"`);

  test('replaces any of them in each of its spellings, in texts and in values', () => {
    const redactor = redactorOf(...tokens);
    for (const token of tokens.filter((_, index) => index % 40 === 0)) {
      const text = spellings(token).join('λ');
      const clean = spellings(token)
        .map(() => redacted)
        .join('λ');
      expect([redactor.redact(text), redactor.redactValue(text)]).toEqual([clean, clean]);
    }
  });
});

/** Searches for every secret, whatever the text. */
function redactedOneByOne(known: readonly string[], text: string): string {
  const byLength = (one: string, other: string) => other.length - one.length;
  // The escape of a letter is another in the other case.
  const casesOf = (sign: string) => (/[a-z]/i.test(sign) ? [sign.toLowerCase(), sign.toUpperCase()] : [sign]);
  const expressionOf = (sign: string) =>
    `(?:${[...new Set(casesOf(sign).flatMap(spellings))].sort(byLength).map(RegExp.escape).join('|')})`;
  const all = known.toSorted(byLength).map((secret) => [...secret].map(expressionOf).join(''));
  return text.replaceAll(new RegExp([RegExp.escape(redacted), ...all].join('|'), 'gi'), redacted);
}

test('a secret that begins in the digits of an escape is found', () => {
  expect(redactorOf('abcd').redact(String.raw`\u212abcda7`)).toBe(String.raw`\u212[redacted]a7`);
});

test('a redactor finds the same as a search for each secret, however many others it knows', () => {
  const others = Array.from({ length: 20 }, (_, index) => `other-secret-${index}`);
  // No secret begins with a digit of an escape: one that begins there and goes on in the next escape isn't found.
  const part = fc.constantFrom('wabcd', 'xbcda', 'WAB', 'y', 'z7', '+', '/', '%', ' ', 'ñ', 'İ', '\u212a');
  const secret = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));
  // One of each length: of two that are as long, either may come first.
  const known = fc.uniqueArray(secret, { minLength: 1, maxLength: 6, selector: ({ length }) => length });
  const piece = fc.record({
    secret: fc.nat(),
    spelling: fc.nat({ max: 11 }),
    upper: fc.boolean(),
    after: part,
  });
  fc.assert(
    fc.property(known, fc.array(piece, { maxLength: 6 }), fc.nat({ max: 5 }), (secrets, pieces, cut) => {
      const text = pieces
        .map(({ secret: index, spelling, upper, after }) => {
          const spelt = spellings(secrets[index % secrets.length]!)[spelling]!;
          return (upper ? spelt.toUpperCase() : spelt) + after;
        })
        .join('')
        .slice(cut);
      const clean = redactedOneByOne(secrets, text);
      expect(redactorOf(...secrets).redact(text)).toBe(clean);
      expect(redactorOf(...others, ...secrets).redact(text)).toBe(clean);
    }),
    { numRuns: 500 },
  );
});

describe('the beginning of a long text', () => {
  test('is as long as it may be, and nothing behind it is looked at', () => {
    const redactor = redactorOf('a-secret+');
    expect(redactor.redact('x'.repeat(50), 50)).toHaveLength(50);
    expect(redactor.redact('x'.repeat(1_000), 50)).toBe('x'.repeat(50));
    expect(redactor.redact(`${'x'.repeat(40)}a-secret+${'x'.repeat(900)}`, 60)).toMatch(/^x{40}\[redacted\]/);
  });

  test('never holds a part of a secret, wherever it is cut and however the secret is spelt', () => {
    const letters = fc.constantFrom('a', 'b', '+', '/', '"', '&', '日', '🎉');
    const secret = fc.array(letters, { minLength: 2, maxLength: 30 }).map((signs) => signs.join(''));
    fc.assert(
      fc.property(secret, fc.nat({ max: 11 }), fc.nat(200), fc.nat(20), (known, index, maxLength, before) => {
        const spelling = spellings(known)[index]!;
        const clean = redactorOf(known).redact('λ'.repeat(before) + spelling.repeat(200), maxLength);
        expect(clean).toMatch(/^λ*(?:\[redacted\])*\[?[a-z]*$/);
        const rest = clean.replaceAll(redacted, '').replaceAll('λ', '');
        expect(redacted.startsWith(rest)).toBe(true);
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
      'MAIL_WAITING',
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
