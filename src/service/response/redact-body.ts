import { longSecretLength, type Redactor, redacted } from '../../support/redaction.ts';

/*
 * Two promises: no token of ours in the archive, and no value of the warehouse that we made up. What isn't parsed is
 * redacted as a text, for no value comes from it. What is parsed becomes values, and a token is replaced where it can
 * only be an echo: a whole value, the parameter `sidtoken`, and, from 12 characters on, anywhere. A shorter one within
 * a longer value may be a word of it, so it stays, in the archive as in the warehouse; the settings warn of such tokens.
 */

/** Redacts the strings of parsed JSON, and leaves its numbers: a token of digits must not change a count. */
export function redactJson(value: unknown, redactor: Redactor): unknown {
  if (typeof value === 'string') return redactValue(value, redactor);
  if (Array.isArray(value)) return value.map((each) => redactJson(each, redactor));
  if (typeof value !== 'object' || value === null) return value;
  // Own properties by definition, so that a key `__proto__` is one of them.
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [redactKey(key, redactor), redactJson(each, redactor)]),
  );
}

/** A short key is a word of the service's, even where it is a token, too. */
function redactKey(key: string, redactor: Redactor): string {
  return key.length < longSecretLength ? key : redactValue(key, redactor);
}

function redactValue(value: string, redactor: Redactor): string {
  return redactor
    .redactValue(value)
    .replaceAll(/(sidtoken=)([^\s"&]+)/gi, (parameter, name: string, token: string) =>
      redactor.redactValue(token) === token ? parameter : `${name}${redacted}`,
    );
}
