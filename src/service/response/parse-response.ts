import { isDeepStrictEqual } from 'node:util';
import { canBeEmpty } from '../../model/accepted.ts';
import type { SummaryEnvelope } from '../../model/records.ts';
import { createRedactor, excerpt, mapJson, type Redactor } from '../../support/redaction.ts';
import { AttemptError } from '../failures.ts';
import { meansError } from '../http/attempt-errors.ts';
import { textOf } from './body.ts';
import { remarksOf, signOf, signOfText } from './envelope.ts';
import { parseExactly } from './exact-json.ts';
import { findList, isObject } from './find-list.ts';
import type { AnswerSchema } from './schema.ts';

/** The content of an answer that has records or is empty, and its body for the archive. */
export type ParsedResponse<T> = Pick<SummaryEnvelope, 'remarks' | 'emptyBy'> & {
  readonly content: T;
  readonly body: string;
};

/** An answer without records that the document doesn't show: all that it says. */
export type UnknownAnswer = { readonly sign: string };

/** A response as it was received: its status, and its body as text. */
export type Received = { readonly status: number; readonly body: string };

/** The largest `PAGE_LIMIT`, and a hundred times the campaigns of a large account on one day. */
const maxRecords = 100_000;

/**
 * Reads an answer by its shape (docs/service-assumptions.md). If the body repeats a long token, redacts its values first. Throws an
 * AttemptError if JSON that came with 2xx is malformed, or if it is too large.
 *
 * @param isAccepted whether somebody accepted all that an answer says as an empty list
 */
export function parseResponse<T>(
  { status, body }: Received,
  schema: AnswerSchema<T>,
  redactor: Redactor,
  isAccepted: (sign: string) => boolean,
): ParsedResponse<T> | UnknownAnswer {
  const empty = (sign: string, cleanBody: string) =>
    canBeEmpty(sign) && isAccepted(sign)
      ? { content: schema.read({}, []), body: cleanBody, remarks: [], emptyBy: sign }
      : { sign };
  const parsed = parseAny(status, body, redactor);
  if (parsed === null) return empty(signOfText(status, body, redactor), body);
  const { json, cleanBody } = parsed;
  const list = findList(json, schema);
  const said = { status, json, list };
  if (list === null) return empty(signOf(said, schema, redactor), cleanBody);
  if (list.rows.length > maxRecords)
    throw invalid(`the body has more than ${maxRecords} records`, { retryNow: false });
  const remarks = remarksOf(said, schema, redactor);
  if (list.rows.length === 0 && remarks.length > 0) return empty(signOf(said, schema, redactor), cleanBody);
  const content = schema.read(isObject(json) ? json : {}, list.rows);
  return { content, body: cleanBody, remarks, emptyBy: null };
}

/** JSON, or its beginning: `[error] no such host` is none. */
const looksLikeJson = /^\s*(?:\{|\[\s*(?:[{["\]]|$))/;

/** Returns null for a body that isn't JSON. */
function parseAny(status: number, body: string, redactor: Redactor): ReturnType<typeof parseJson> | null {
  try {
    return parseJson(body, redactor);
  } catch (error) {
    const isAnswer = status <= 299 && looksLikeJson.test(body);
    if (error instanceof SyntaxError && isAnswer) throw malformed(body, error, redactor);
    if (error instanceof RangeError && isAnswer)
      throw invalid('the body is nested too deep', { retryNow: false });
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
}

function invalid(text: string, options?: { readonly retryNow: boolean }): AttemptError {
  return new AttemptError('INVALID_RESPONSE', `invalid response (${text})`, options);
}

/** Knows no token: archived bodies are already redacted. */
const noTokens = createRedactor();

/** Parses an archived response by today's rules, and by what is accepted today. Returns null if by these it can't be read. */
export function parseArchived<T>(
  { status, body }: { readonly status: number | null; readonly body: Uint8Array },
  schema: AnswerSchema<T>,
  isAccepted: (sign: string) => boolean,
): ParsedResponse<T> | null {
  if (status === null || meansError(status)) return null;
  try {
    const parsed = parseResponse({ status, body: textOf(body) }, schema, noTokens, isAccepted);
    return 'sign' in parsed ? null : parsed;
  } catch (error) {
    if (error instanceof AttemptError) return null;
    throw error;
  }
}

function parseJson(body: string, redactor: Redactor): { readonly json: unknown; readonly cleanBody: string } {
  const json = parseExactly(body);
  if (redactor.redactValue(body) === body) return { json, cleanBody: body };
  // Its names and texts; numbers stay.
  const clean = mapJson(json, (value) => (typeof value === 'string' ? redactor.redactValue(value) : value));
  // The token occurs only in a number: a count that equals it is still a count.
  if (isDeepStrictEqual(clean, json)) return { json, cleanBody: body };
  return { json: clean, cleanBody: JSON.stringify(clean) };
}

/** JSON that was cut, or that has a value which JSON doesn't know, such as `NaN`. */
function malformed(body: string, { message }: SyntaxError, redactor: Redactor): AttemptError {
  const [, before, value] =
    /("[^"]{1,50}"\s*:\s*)(-?(?:NaN|Infinity)|undefined|None|True|False)\b/.exec(body) ?? [];
  if (value !== undefined) {
    const found = excerpt(`${before}${value}`, redactor);
    return new AttemptError('INVALID_RESPONSE', `invalid response (malformed JSON: ${found})`, {
      advice: `ask the provider: JSON has no ${value}; earlier figures stay`,
    });
  }
  // The rest of the message may quote half of a token.
  const at = /at position (\d+)/.exec(message)?.[1];
  const isCut = /end of JSON|unterminated/i.test(message) || Number(at ?? 0) >= body.trimEnd().length;
  const place = at === undefined ? 'an unexpected character' : `at character ${Number(at) + 1}`;
  const what = isCut ? `it ends too early, after ${body.length} characters` : place;
  return new AttemptError('INVALID_RESPONSE', `invalid response (malformed JSON: ${what})`, {
    advice: isCut
      ? 'something in between, such as a proxy, may have cut it; earlier figures stay'
      : 'if it happens every night, ask the provider; earlier figures stay',
  });
}
