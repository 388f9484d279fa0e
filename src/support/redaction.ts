import { base64Runs, decode, type Range, sourcesOf, textsInBase64 } from './decoding.ts';

/** Replaces every known secret in a text, in any case of letters, however the text is encoded. */
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

/** Nobody encodes a secret more often. Without a bound, `%252525…` would take a pass for each `25`. */
const maxPasses = 4;

/** A character of a secret takes no more in the usual chains of encodings. */
const maxSignLength = 100;

/** A secret as it is searched for. */
type Needle = { readonly text: string; readonly secret: string };

/** Returns whether a needle that was found there counts. */
type Counts = (needle: Needle, text: string, start: number) => boolean;

const countsAlways: Counts = () => true;

export function createRedactor(): Redactor {
  const known = new Set<string>();
  /** The secrets of `known` that are only passwords. */
  const passwords = new Set<string>();
  const needles = createNeedles();
  let longest = 0;
  let shortest = Infinity;

  /** Returns where a text has a secret that counts, or an encoding of one. */
  function find(text: string, counts: Counts, minLength: number, passes = maxPasses): Range[] {
    const ranges = needles.find(text, counts);
    if (passes === 0) return ranges;
    const holdSecret = (runs: readonly Range[]) => {
      const texts = textsInBase64(text, runs, minLength);
      return texts !== '' && find(texts, counts, minLength, passes - 1).length > 0;
    };
    // All runs at once, then by halves: mostly none has a secret.
    const withSecret = (runs: readonly Range[]): readonly Range[] => {
      if (runs.length === 0 || !holdSecret(runs)) return [];
      if (runs.length === 1) return runs;
      const half = runs.length >> 1;
      return [...withSecret(runs.slice(0, half)), ...withSecret(runs.slice(half))];
    };
    const inBase64 = withSecret(base64Runs(text, Math.ceil((minLength * 4) / 3)));
    const decoded = decode(text);
    const inDecoded = decoded === text ? [] : find(decoded, counts, minLength, passes - 1);
    return [...ranges, ...inBase64, ...sourcesOf(text, inDecoded)];
  }

  const countsInOwn: Counts = ({ text: word, secret }, text, start) =>
    !passwords.has(secret) || !isWord(secret) || isOutsideSentence(text, start, start + word.length);

  function replace(text: string, counts: Counts, minLength = shortest): string {
    if (known.size === 0) return text;
    // A secret may be part of the word "redacted".
    if (text.includes(redacted))
      return text
        .split(redacted)
        .map((part) => replace(part, counts, minLength))
        .join(redacted);
    const ranges = find(text, counts, minLength);
    if (ranges.length === 0) return text;
    const pieces: string[] = [];
    let end = 0;
    for (const range of ranges.sort(([one], [other]) => one - other)) {
      // Of two that overlap, the rest of the second is replaced with the first.
      if (range[0] >= end) pieces.push(text.slice(end, range[0]), redacted);
      end = Math.max(end, range[1]);
    }
    return pieces.join('') + text.slice(end);
  }

  function learn(secret: string): void {
    if (secret.length < minSecretLength) return;
    passwords.delete(secret);
    if (known.has(secret)) return;
    known.add(secret);
    longest = Math.max(longest, secret.length);
    shortest = Math.max(minSecretLength, Math.min(shortest, secret.length));
    for (const text of formsOf(secret)) needles.add({ text, secret });
  }

  return {
    learn,
    learnPassword(value) {
      if (known.has(value)) return;
      learn(value);
      passwords.add(value);
    },
    redact(text, maxLength = text.length) {
      if (text.length <= maxLength) return replace(text, countsAlways);
      const extra = longest * maxSignLength;
      const beginning = text.slice(0, maxLength + extra);
      const clean = replace(beginning, countsAlways);
      // Cutting may leave half of a secret at the end: the extra characters are dropped again.
      const length = beginning.length < text.length ? Math.max(0, clean.length - extra) : maxLength;
      // Of a text full of secrets, hardly more is left than was to be dropped.
      return clean.slice(0, length) || redacted;
    },
    redactOwn: (text) => replace(text, countsInOwn),
    redactValue: (value) =>
      replace(value, ({ secret }) => secret.length >= longSecretLength, longSecretLength),
  };
}

/** A short password of letters alone may be an ordinary word. */
const isWord = (secret: string) => secret.length < longSecretLength && /^[a-z]+$/i.test(secret);

/** A sign next to a word, other than those of a sentence, says that it isn't one of a sentence. */
const isOutsideSentence = (text: string, start: number, end: number) =>
  /[^\s\w(-]/.test(text.charAt(start - 1)) || /[^\s\w.,;:!?…)'-]/.test(text.charAt(end));

/** A text in lower case, each character in its place: these two become two characters, or another at the end of a word. */
const fold = (text: string) => text.replaceAll('İ', 'i').replaceAll('Σ', 'σ').toLowerCase();

/**
 * Returns a secret as it may be found in a text that is decoded pass by pass. One that looks encoded is decoded, too: `%41`
 * of a secret becomes `A` in the pass that decodes the rest of it.
 */
function formsOf(secret: string): string[] {
  const forms = new Set<string>();
  // A form writes a space as a plus, and reads a plus as a space.
  for (let form of [secret, secret.replaceAll(' ', '+'), secret.replaceAll('+', ' ')])
    for (let pass = 0; pass <= maxPasses; pass++) {
      forms.add(fold(form));
      // With what follows, its last sign may be decoded to another one.
      if (form.length > longSecretLength) forms.add(fold(form.replace(/[\\%&]$/, '')));
      form = decode(form);
    }
  return [...forms].filter((form) => form.length >= Math.min(secret.length, minSecretLength));
}

/** So few needles are faster searched for one by one. */
const maxSearched = 10;

/** Needles are indexed by their last characters: tokens of one service often begin alike. */
const endingLength = 4;
const endings = 2 ** 16;

/** The last four characters as a number of 16 bits: each shift removes the oldest. */
const nextEnding = (ending: number, code: number) => ((ending << 4) ^ code) & (endings - 1);

/** Finds any of thousands of needles in one pass over a text. */
function createNeedles() {
  const all: Needle[] = [];
  const tooShort: Needle[] = [];
  const byEnding = new Map<number, Needle[]>();
  const isEnding = new Uint8Array(endings);

  function candidatesIn(folded: string): Iterable<Needle> {
    if (all.length <= maxSearched) return all;
    const candidates = new Set(tooShort);
    let ending = 0;
    for (let at = 0; at < folded.length; at++) {
      ending = nextEnding(ending, folded.charCodeAt(at));
      if (isEnding[ending] === 0) continue;
      for (const needle of byEnding.get(ending)!)
        if (folded.endsWith(needle.text, at + 1)) candidates.add(needle);
    }
    return candidates;
  }

  return {
    add(needle: Needle): void {
      all.push(needle);
      if (needle.text.length < endingLength) {
        tooShort.push(needle);
        return;
      }
      let ending = 0;
      for (const sign of needle.text.slice(-endingLength).split(''))
        ending = nextEnding(ending, sign.charCodeAt(0));
      isEnding[ending] = 1;
      byEnding.getOrInsert(ending, []).push(needle);
    },
    find(text: string, counts: Counts): Range[] {
      const folded = fold(text);
      const ranges: Range[] = [];
      for (const needle of candidatesIn(folded)) {
        const { length } = needle.text;
        for (let at = folded.indexOf(needle.text); at !== -1; at = folded.indexOf(needle.text, at + length))
          if (counts(needle, text, at)) ranges.push([at, at + length]);
      }
      return ranges;
    },
  };
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

/** Replaces each name and each value that is no list or object in parsed JSON. */
export function mapJson(value: unknown, replaced: (scalar: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => mapJson(each, replaced));
  if (typeof value !== 'object' || value === null) return replaced(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [replaced(name), mapJson(each, replaced)]),
  );
}
