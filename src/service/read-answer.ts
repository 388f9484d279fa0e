import type { ZodType } from 'zod';
import type { Redactor } from '../support/redaction.ts';
import { type Answered, ForeignAnswer, TokenRefusal, UnreadableBody } from './attempt.ts';
import { parseExactly } from './exact-json.ts';
import { excerpt, unescaped } from './excerpt.ts';

/**
 * Reads a good answer into its envelope; throws what it is instead: no JSON, a refusal of the token, or another
 * thing than the document shows. Where the body echoes a token, its texts are redacted: nothing behind here ever
 * sees one.
 */
export function readAnswer<T>({ body }: Answered, envelope: ZodType<T>, redactor: Redactor): T {
  const read = envelope.safeParse(parse(body, redactor));
  if (read.success) return read.data;
  const said = excerpt(body, redactor, 2_000);
  // What was asked is often told back, and its parameter speaks of a token without meaning anything.
  const speaksOfToken = /token|session|log[ -]?in/i.test(said.replaceAll(/sidtoken=[^\s"&]*/gi, ''));
  throw speaksOfToken ? new TokenRefusal(said) : new ForeignAnswer(said);
}

function parse(body: string, redactor: Redactor): unknown {
  try {
    const json = parseExactly(body);
    const plain = unescaped(body);
    return redactor.redact(plain) === plain ? json : redactTexts(json, redactor);
  } catch (error) {
    // A RangeError is JSON that is nested deeper than the stack.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw new UnreadableBody(excerpt(body, redactor));
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
