import { decodings, unescaped } from './decodings.ts';

/** Replaces every known secret in a text, however it is encoded. */
export type Redactor = {
  /** From now on this value is replaced, too. */
  learn(secret: string): void;
  /**
   * Replaces a secret where it stands in one of its usual spellings. Where it is found only in what the text decodes to,
   * the whole text is replaced or, for a short secret, the words that hold it.
   */
  redact(text: string): string;
  /**
   * Replaces a value that is a secret as a whole, and long secrets within it. A short one may be part of a mere word:
   * with the token `demo`, "Product demo" stays.
   */
  redactValue(value: string): string;
};

/** Characters from which a secret is no mere word: found in a longer text, it was put there on purpose. */
export const longSecretLength = 12;

/** Shorter ones stand in what any text decodes to by chance: only their spellings are replaced. */
const minDecodedLength = 4;

/** Characters of a text that is searched word by word: a message, not a page. */
const maxLengthByWord = 20_000;

export const redacted = '[redacted]';

type Secret = {
  readonly isLong: boolean;
  /** What is replaced where it stands. */
  readonly spellings: readonly string[];
  /** What is searched for in what a text decodes to. */
  readonly forms: readonly string[];
};

export function createRedactor(): Redactor {
  const secrets = new Map<string, Secret>();
  let minRun = 16;
  return {
    learn(secret) {
      if (secret === '' || secrets.has(secret)) return;
      secrets.set(secret, secretOf(secret));
      const decodedBytes = Math.max(minDecodedLength, Buffer.byteLength(secret));
      minRun = Math.min(minRun, Math.ceil((decodedBytes * 4) / 3));
    },
    redact: (text) => redactAll(text, [...secrets.values()], minRun),
    redactValue(value) {
      const all = [...secrets.values()];
      if (all.some(({ spellings }) => spellings.includes(value))) return redacted;
      return redactAll(
        value,
        all.filter(({ isLong }) => isLong),
        minRun,
      );
    },
  };
}

function secretOf(secret: string): Secret {
  const isLong = secret.length >= longSecretLength;
  // A space may stand as a plus; a backslash at the end escapes what follows it; base64 decodes to bytes.
  const variants = [secret, secret.replaceAll(' ', '+'), secret.replace(/\\$/, '')];
  const asBytes = variants.map((variant) => Buffer.from(variant).toString('latin1'));
  const forms = [...variants, ...asBytes].flatMap(undone);
  return {
    isLong,
    spellings: [...new Set(spellings(secret))],
    // One that itself looks encoded is decoded once too often: what is left of it must not be a mere word.
    forms: [...new Set(forms)].filter((form) => form.length >= secret.length / 2),
  };
}

/** A secret, and what is left of it after each round of decoding. */
function undone(secret: string): string[] {
  const plain = unescaped(secret);
  return plain === secret ? [secret] : [secret, ...undone(plain)];
}

/** The ways in which a value can stand in a URL, a form, JSON, or JSON that is logged as a text. */
function spellings(secret: string): string[] {
  const form = new URLSearchParams({ s: secret }).toString().slice(2);
  const percent = encodeURIComponent(secret);
  const json = (text: string) => JSON.stringify(text).slice(1, -1);
  const lower = (text: string) => text.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  // PHP writes "\\/" for "/", and a page of HTML has its own way with some characters.
  const slashed = json(secret).replaceAll('/', '\\/');
  const entities = secret
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
  const plain = [secret, form, percent, lower(form), lower(percent), encodeURI(secret), entities, slashed];
  return [...plain, ...plain.map(json), ...plain.map(json).map(json)];
}

function redactAll(text: string, secrets: readonly Secret[], minRun: number): string {
  const found = secretsIn(text, secrets, minRun);
  if (found.length === 0) return text;
  const clean = replaceSpellings(text, found);
  const left = secretsIn(clean, found, minRun);
  if (left.length === 0) return clean;
  if (clean.length > maxLengthByWord || left.some(({ isLong }) => isLong)) return redacted;
  const holdsNone = (part: string) => secretsIn(part, left, minRun).length === 0;
  const words = clean.replaceAll(/[^\s"]+/g, (word) => (holdsNone(word) ? word : redacted));
  return holdsNone(words) ? words : redacted;
}

/** The secrets that stand in a text, or in what it decodes to; what was redacted before is none of it. */
function secretsIn(text: string, secrets: readonly Secret[], minRun: number): Secret[] {
  if (secrets.length === 0) return [];
  const rest = text.replaceAll(redacted, '\0');
  const found = new Set(secrets.filter(({ spellings }) => spellings.some((each) => rest.includes(each))));
  const sought = secrets.filter(
    (secret) => !found.has(secret) && secret.forms[0]!.length >= minDecodedLength,
  );
  for (const part of sought.length > 0 ? partsOf(rest) : [])
    for (const decoded of decodings(part, minRun))
      for (const secret of sought)
        if (!found.has(secret) && secret.forms.some((form) => decoded.includes(form))) found.add(secret);
  return [...found];
}

/** Characters that are decoded at once: copies of a whole response would take several times its memory. */
const partLength = 250_000;

/** More than any secret takes in four encodings, so that none is missed where a part ends. */
const overlap = 50_000;

function* partsOf(text: string): Generator<string, void> {
  for (let start = 0; start < Math.max(1, text.length); start += partLength)
    yield text.slice(start, start + partLength + overlap);
}

function replaceSpellings(text: string, secrets: readonly Secret[]): string {
  // A secret that contains another must go first, or its remainder stays.
  const longestFirst = secrets
    .flatMap(({ spellings }) => spellings)
    .sort((one, other) => other.length - one.length);
  return longestFirst.reduce((rest, spelling) => rest.replaceAll(spelling, redacted), text);
}

/** The beginning of a text of others', as logs and the database may hold it: redacted first, then cut, in one line. */
export function excerpt(text: string, redactor: Pick<Redactor, 'redact'>, maxLength = 200): string {
  return redactor
    .redact(text)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed();
}
