/** Replaces every known secret in a text, in whatever spelling. */
export type Redactor = {
  /** From now on this value is replaced, too. */
  learn(secret: string): void;
  redact(text: string): string;
  /**
   * Replaces a value that is a secret as a whole, and long secrets within it. A short one may be part of a mere word:
   * with the token `demo`, "Product demo" stays.
   */
  redactValue(value: string): string;
};

/** Characters from which a secret is no mere word: found in a longer text, it was put there on purpose. */
export const longSecretLength = 12;

export const redacted = '[redacted]';

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

function replaceAll(secrets: readonly string[], text: string): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, redacted), text);
}

export function createRedactor(): Redactor {
  const known = new Set<string>();
  const knownLong = new Set<string>();
  let longestFirst: readonly string[] = [];
  let longSecrets: readonly string[] = [];
  return {
    learn(secret) {
      if (secret === '') return;
      for (const spelling of spellings(secret)) {
        known.add(spelling);
        if (secret.length >= longSecretLength) knownLong.add(spelling);
      }
      // A secret that contains another must go first, or its remainder stays.
      longestFirst = [...known].sort((a, b) => b.length - a.length);
      longSecrets = longestFirst.filter((spelling) => knownLong.has(spelling));
    },
    redact: (text) => replaceAll(longestFirst, text),
    redactValue: (value) => (known.has(value) ? redacted : replaceAll(longSecrets, value)),
  };
}
