/**
 * Replaces every known secret in a text, in every spelling of a URL, a form, JSON or HTML, in any case of
 * letters.
 */
export type Redactor = {
  /** From now on this value is replaced, too. */
  learn(secret: string): void;
  /** The same for a password, which people choose: in a text of our own it may be a word. */
  learnPassword(password: string): void;
  /** Returns only the beginning of a longer text, and reads no more of it. */
  redact(text: string, maxLength?: number): string;
  /**
   * Replaces secrets in a text of our own, whose foreign parts are redacted already. With the password `mail`, "mail
   * waits" stays what it is; in an address or in quotes it is replaced, and a token is replaced everywhere.
   */
  redactOwn(text: string): string;
  /** Replaces long secrets only: with the token `demo`, a campaign "Product demo" stays what it is. */
  redactValue(value: string): string;
};

/** A shorter secret may be a mere word; a longer one in somebody's value was put there on purpose. */
export const longSecretLength = 12;

/** A shorter secret is part of nearly every line. */
export const minSecretLength = 3;

export const redacted = '[redacted]';

/** The first secrets are searched for one by one: in a long text, that is faster than one pass for all. */
const maxSearched = 10;

export function createRedactor(): Redactor {
  const known = new Set<string>();
  /** The secrets of `known` that are only passwords. */
  const passwords = new Set<string>();
  const searched: Secret[] = [];
  /** All others, by the end of their core. */
  let indexed: (Secret[] | undefined)[] | null = null;
  let maxSpelling = 0;

  /** Returns the secrets that a text may contain, mostly none. Knowing more of them doesn't take longer. */
  function candidatesIn(text: string): Secret[] {
    const lower = readings(text).toLowerCase();
    const candidates = new Set(searched);
    if (indexed !== null) {
      let ending = 0;
      for (let at = 0; at < lower.length; at++) {
        ending = nextEnding(ending, lower.charCodeAt(at));
        const secrets = indexed[ending];
        if (secrets === undefined) continue;
        for (const secret of secrets) if (lower.endsWith(secret.core, at + 1)) candidates.add(secret);
      }
    }
    // All parts: tokens that begin with the same word may share their core.
    return [...candidates].filter(({ parts }) => parts.every((part) => lower.includes(part)));
  }

  function learn(value: string): void {
    if (value === '') return;
    passwords.delete(value);
    if (known.has(value)) return;
    known.add(value);
    maxSpelling = Math.max(maxSpelling, value.length * maxSignSpelling);
    const secret = secretOf(value);
    if (searched.length < maxSearched || secret.core.length < endingLength) {
      searched.push(secret);
      return;
    }
    indexed ??= new Array(endings);
    const ending = [...secret.core].reduce((before, sign) => nextEnding(before, sign.charCodeAt(0)), 0);
    indexed[ending] ??= [];
    indexed[ending].push(secret);
  }

  return {
    learn,
    learnPassword(value) {
      if (known.has(value)) return;
      learn(value);
      passwords.add(value);
    },
    redact(text, maxLength = text.length) {
      if (text.length <= maxLength) return replaceAll(text, candidatesIn(text));
      // Cutting may leave half of a secret at the end: the extra characters are dropped again.
      const beginning = text.slice(0, maxLength + maxSpelling);
      const clean = replaceAll(beginning, candidatesIn(beginning));
      return clean.slice(0, Math.max(0, clean.length - maxSpelling));
    },
    redactOwn: (text) =>
      replaceAll(
        text,
        candidatesIn(text).map((secret) =>
          passwords.has(secret.value) && isWord(secret)
            ? { ...secret, spelling: outsideSentences(secret.spelling) }
            : secret,
        ),
      ),
    redactValue(value) {
      return replaceAll(
        value,
        candidatesIn(value).filter((secret) => secret.value.length >= longSecretLength),
      );
    },
  };
}

type Secret = {
  readonly value: string;
  /** Its runs of letters and digits, in lower case: every spelling contains them. */
  readonly parts: readonly string[];
  /** The longest of them. */
  readonly core: string;
  /** The source of an expression that matches each of its spellings. */
  readonly spelling: string;
};

function secretOf(value: string): Secret {
  // Split first: some letters become others in lower case, such as the sign for Kelvin.
  const parts = value.split(/[^a-z\d]+/i).map((part) => part.toLowerCase());
  return {
    value,
    parts,
    core: parts.reduce((longest, part) => (part.length > longest.length ? part : longest)),
    spelling: [...value].map(spellingOf).join(''),
  };
}

/** A short password of letters alone may be an ordinary word. */
const isWord = ({ value, core }: Secret) =>
  value.length < longSecretLength && core.length === value.length && /^[a-z]+$/.test(core);

/**
 * The expression of a word where it isn't one of a sentence, nor a part of a longer one: a sign is next to it, other
 * than those of a sentence, or it follows an encoded sign.
 */
const outsideSentences = (word: string) =>
  `(?:(?<=[^\\s\\w(-]|%[\\da-f]{2})${word}|${word}(?=[^\\s\\w.,;:!?…)'-]))`;

/** Cores are indexed by their end: tokens of one service often begin alike. */
const endingLength = 4;
const endings = 2 ** 16;

/** The last four characters as a number of 16 bits: each shift removes the oldest. */
function nextEnding(ending: number, code: number): number {
  return ((ending << 4) ^ code) & (endings - 1);
}

/** Replaces secrets in every spelling, but not in earlier redactions: a secret may be part of the word "redacted". */
function replaceAll(text: string, secrets: readonly Secret[]): string {
  if (secrets.length === 0) return text;
  // The longest first: of two nested secrets the inner one would leave the rest.
  const longestFirst = secrets.toSorted((one, other) => other.value.length - one.value.length);
  const spellings = longestFirst.map(({ spelling }) => spelling);
  const expression = new RegExp([RegExp.escape(redacted), ...spellings].join('|'), 'gi');
  return text.replaceAll(expression, redacted);
}

/** The longest spelling of a character: `%e6%97%a5`. */
const maxSignSpelling = 9;

const entities: { readonly [sign: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0');

/** JSON may write any character as an escape, and does so again for the backslash of JSON in a text of JSON. */
const backslashes = String.raw`\\{1,4}`;
const escapes = new RegExp(`${backslashes}u([\\da-f]{4})`, 'gi');

/**
 * A text, and without its escapes: the digits of an escape may be part of a secret, too. A secret that begins in the
 * digits of one escape and goes on in the next isn't found: no program writes one so.
 */
function readings(text: string): string {
  if (!/\\u/i.test(text)) return text;
  const unescaped = text.replaceAll(escapes, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  return `${text}\n${unescaped}`;
}

/** The expression of a character's spellings. A letter or a digit has itself and its escape. */
function spellingOf(sign: string): string {
  const escapeOf = (text: string) =>
    text
      .split('')
      .map((unit) => `${backslashes}u${hex(unit.charCodeAt(0), 4)}`)
      .join('');
  if (/[a-z\d]/i.test(sign)) {
    const cases = new Set([sign.toLowerCase(), sign.toUpperCase()]);
    return `(?:${[sign, ...[...cases].map(escapeOf)].join('|')})`;
  }
  const point = sign.codePointAt(0)!;
  const percent = [...Buffer.from(sign)].map((byte) => `%${hex(byte, 2)}`);
  const spellings = [
    percent.join(''),
    JSON.stringify(sign).slice(1, -1),
    `&#${point};`,
    `&#x${hex(point, 2)};`,
    entities[sign] ?? sign,
    sign === ' ' ? '+' : sign,
    sign === '/' ? '\\/' : sign,
  ];
  // The longest first: `&` alone would leave the rest of `&amp;`.
  const longestFirst = [...new Set(spellings)].toSorted((one, other) => other.length - one.length);
  return `(?:${[escapeOf(sign), ...longestFirst.map((spelling) => RegExp.escape(spelling))].join('|')})`;
}

/** Characters to read for each one that an excerpt shows: white space and secrets shrink. */
const lookedAtPerShown = 20;

/** The beginning of a foreign text, as logs and the database may hold it: redacted, then cut, in one line. */
export function excerpt(text: string, redactor: Pick<Redactor, 'redact'>, maxLength = 200): string {
  return redactor
    .redact(text, maxLength * lookedAtPerShown)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed();
}
