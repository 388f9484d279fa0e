/**
 * Replaces every known secret in a text, in every spelling of a URL, a form, JSON or HTML, in any case of
 * letters.
 */
export type Redactor = {
  /** From now on this value is replaced, too. */
  learn(secret: string): void;
  /** Returns only the beginning of a longer text, and reads no more of it. */
  redact(text: string, maxLength?: number): string;
  /** Replaces long secrets only: with the token `demo`, a campaign "Product demo" stays what it is. */
  redactValue(value: string): string;
};

/** A shorter secret may be a mere word; a longer one in somebody's value was put there on purpose. */
export const longSecretLength = 12;

export const redacted = '[redacted]';

export function createRedactor(): Redactor {
  const secrets = new Set<string>();
  let every = expressionOf([]);
  let long = expressionOf([]);
  let longCores: string[] = [];
  let maxSpelling = 0;
  return {
    learn(secret) {
      if (secret === '' || secrets.has(secret)) return;
      secrets.add(secret);
      every = expressionOf([...secrets]);
      const longSecrets = [...secrets].filter(({ length }) => length >= longSecretLength);
      long = expressionOf(longSecrets);
      longCores = longSecrets.map(coreOf);
      maxSpelling = Math.max(maxSpelling, secret.length * maxSignSpelling);
    },
    redact(text, maxLength = text.length) {
      if (text.length <= maxLength) return text.replaceAll(every, redacted);
      // Cutting may leave half of a secret at the end: the extra characters are dropped again.
      const clean = text.slice(0, maxLength + maxSpelling).replaceAll(every, redacted);
      return clean.slice(0, Math.max(0, clean.length - maxSpelling));
    },
    redactValue(value) {
      // A whole response is searched: the expression takes twenty times as long as this.
      const lower = value.toLowerCase();
      return longCores.some((core) => lower.includes(core)) ? value.replaceAll(long, redacted) : value;
    },
  };
}

/** The longest part of a secret that every spelling has, in lower case. */
function coreOf(secret: string): string {
  const parts = secret.toLowerCase().split(/[^a-z\d]/);
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest));
}

/** Matches secrets in every spelling, and earlier redactions: a secret may be part of the word "redacted". */
function expressionOf(secrets: readonly string[]): RegExp {
  // The longest first: of two nested secrets the inner one would leave the rest.
  const longestFirst = secrets.toSorted((one, other) => other.length - one.length);
  const spellings = longestFirst.map((secret) => [...secret].map(spellingOf).join(''));
  return new RegExp([RegExp.escape(redacted), ...spellings].join('|'), 'gi');
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

/** The expression of a character's spellings; letters and digits have one. */
function spellingOf(sign: string): string {
  if (/[a-z\d]/i.test(sign)) return sign;
  const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0');
  const point = sign.codePointAt(0)!;
  const percent = [...Buffer.from(sign)].map((byte) => `%${hex(byte, 2)}`);
  const escapes = sign.split('').map((unit) => `\\u${hex(unit.charCodeAt(0), 4)}`);
  const spellings = [
    percent.join(''),
    escapes.join(''),
    JSON.stringify(sign).slice(1, -1),
    `&#${point};`,
    `&#x${hex(point, 2)};`,
    entities[sign] ?? sign,
    sign === ' ' ? '+' : sign,
    sign === '/' ? '\\/' : sign,
  ];
  // The longest first: `&` alone would leave the rest of `&amp;`.
  const longestFirst = [...new Set(spellings)].toSorted((one, other) => other.length - one.length);
  return `(?:${longestFirst.map((spelling) => RegExp.escape(spelling)).join('|')})`;
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
