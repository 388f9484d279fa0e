import type { ZodType } from 'zod';
import type { Redactor } from '../../support/redaction.ts';
import { InvalidResponse, NotJson, TokenRefused } from '../http/request-errors.ts';
import { parseExactly } from './exact-json.ts';
import { excerpt, unescaped } from './excerpt.ts';

/** The envelope of a good answer, and its body as it may be kept. */
export type ReadAnswer<T> = { readonly envelope: T; readonly body: string };

/**
 * Reads a good answer into its envelope; throws what it is instead: no JSON, a refusal of the token, or another
 * thing than the document shows. Where the body echoes a token, its texts are redacted: nothing behind here ever
 * sees one.
 */
export function readAnswer<T>(body: string, envelope: ZodType<T>, redactor: Redactor): ReadAnswer<T> {
  const parsed = parse(body, redactor);
  const read = envelope.safeParse(parsed.json);
  if (read.success) return { envelope: read.data, body: parsed.body };
  const said = excerpt(body, redactor, 2_000);
  // What was asked is often told back, and its parameter speaks of a token without meaning anything.
  const speaksOfToken = /token|session|log[ -]?in/i.test(said.replaceAll(/sidtoken=[^\s"&]*/gi, ''));
  throw speaksOfToken ? new TokenRefused(said) : new InvalidResponse(said);
}

/** The body of an answer that is not read any further, as it may be kept. */
export function withoutTokens(body: string, redactor: Redactor): string {
  const plain = unescaped(body);
  const redacted = redactor.redact(plain);
  return redacted === plain ? body : redacted;
}

function parse(body: string, redactor: Redactor): { readonly json: unknown; readonly body: string } {
  try {
    const json = parseExactly(body);
    if (withoutTokens(body, redactor) === body) return { json, body };
    const clean = redactTexts(json, redactor);
    return { json: clean, body: JSON.stringify(clean) };
  } catch (error) {
    // A RangeError is JSON that is nested deeper than the stack.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw new NotJson(excerpt(body, redactor));
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
