import type { Redactor } from '../../support/redaction.ts';

/** A body that isn't parsed, as it may be archived. */
export function redactBody(body: string, redactor: Redactor): string {
  const plain = unescaped(body);
  const redacted = redactor.redact(plain);
  return redacted === plain ? body : redacted;
}

/** Redacts the strings of parsed JSON, and leaves its numbers: a token of digits must not change a count. */
export function redactJson(value: unknown, redactor: Redactor): unknown {
  if (typeof value === 'string') return redactor.redact(value);
  if (Array.isArray(value)) return value.map((each) => redactJson(each, redactor));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [redactor.redact(key), redactJson(each, redactor)]),
  );
}

/** The beginning of a body for messages: redacted first, then cut, in characters that can be stored. */
export function excerpt(text: string, redactor: Redactor, maxLength = 200): string {
  return redactor
    .redact(unescaped(text))
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed();
}

/** JSON may write any character as `\u003d`: a token in that spelling is a token, too. */
function unescaped(text: string): string {
  return text.replaceAll(/\\u([0-9a-fA-F]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
