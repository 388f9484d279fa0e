/** Replaces every known secret in a text, in whatever spelling. */
export type Redactor = {
  /** From now on this value is replaced, too. */
  learn(secret: string): void;
  redact(text: string): string;
};

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

export function createRedactor(): Redactor {
  const known = new Set<string>();
  let longestFirst: readonly string[] = [];
  return {
    learn(secret) {
      if (secret === '') return;
      for (const spelling of spellings(secret)) known.add(spelling);
      // A secret that contains another must go first, or its remainder stays.
      longestFirst = [...known].sort((a, b) => b.length - a.length);
    },
    redact: (text) => longestFirst.reduce((rest, secret) => rest.replaceAll(secret, redacted), text),
  };
}
