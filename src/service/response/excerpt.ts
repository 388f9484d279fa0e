import type { Redactor } from '../../support/redaction.ts';

/** JSON may write any character as `\u003d`: a token in that spelling is a token, too. */
export function unescaped(text: string): string {
  return text.replaceAll(/\\u([0-9a-fA-F]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** The beginning of what the service said, for messages: redacted first, then cut, in characters that can be stored. */
export function excerpt(text: string, redactor: Redactor, length = 200): string {
  const told = redactor.redact(unescaped(text)).toWellFormed();
  return told
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, length)
    .toWellFormed();
}
