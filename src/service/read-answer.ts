import type { Redactor } from '../support/redaction.ts';
import { type Answered, UnreadableBody } from './attempt.ts';
import { parseExactly } from './exact-json.ts';

/** The JSON of an answer, and the beginning of its body, for messages. No token is in either. */
export type Answer = { readonly json: unknown; readonly said: string };

/**
 * Reads a good answer; nothing of any other, whose status says enough. Throws an UnreadableBody for no JSON.
 * Where the body echoes a token, its texts are redacted: nothing behind here ever sees one.
 */
export function readAnswer({ whole, body }: Answered, redactor: Redactor): Answer {
  if (!whole.ok) return { json: undefined, said: '' };
  const redactedBody = redactor.redact(body);
  try {
    const json = parseExactly(body);
    const said = redactedBody.slice(0, 2_000);
    return { said, json: redactedBody === body ? json : redactTexts(json, redactor) };
  } catch (error) {
    // A RangeError is JSON that is nested deeper than the stack.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw new UnreadableBody(redactedBody.slice(0, 200));
  }
}

// Text by text, not in the body as a whole: a token of digits must not maim the numbers.
function redactTexts(value: unknown, redactor: Redactor): unknown {
  if (typeof value === 'string') return redactor.redact(value);
  if (Array.isArray(value)) return value.map((each) => redactTexts(each, redactor));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [redactor.redact(key), redactTexts(each, redactor)]),
  );
}
