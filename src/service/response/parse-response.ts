import { isDeepStrictEqual } from 'node:util';
import type { ZodType } from 'zod';
import type { Said } from '../../model/records.ts';
import { createRedactor, excerpt, type Redactor } from '../../support/redaction.ts';
import { AttemptError, describeBody, describeJson } from '../failures.ts';
import { errorTextOf, examineEnvelope, withoutParameter } from './envelope.ts';
import { parseExactly } from './exact-json.ts';

/** The content of a valid response, its body for the archive, and what it says besides. */
export type ParsedResponse<T> = Said & { readonly content: T; readonly body: string };

/**
 * Parses and validates a body. Throws an AttemptError if it isn't JSON, isn't what the document shows, or
 * if its envelope contradicts its empty list. If the body repeats a long token, redacts its values first.
 */
export function parseResponse<T>(body: string, schema: ZodType<T>, redactor: Redactor): ParsedResponse<T> {
  const { json, cleanBody } = parseJson(body, redactor);
  const parsed = schema.safeParse(json);
  if (parsed.success) {
    const { problem, notice } = examineEnvelope(json);
    // Retried even if it is about the token: a response that has its list may be good the next time.
    if (problem !== null) throw refused(problem.code, excerpt(problem.text, redactor), true);
    return {
      content: parsed.data,
      body: cleanBody,
      notice: notice && excerpt(notice, redactor),
      unfinished: null,
      noList: null,
    };
  }
  const tooMany = parsed.error.issues.find(({ code }) => code === 'too_big');
  if (tooMany !== undefined) throw refused('INVALID_RESPONSE', `the body has ${tooMany.message}`, false);
  const text = withoutParameter(excerpt(body, redactor, 2_000));
  const code = /token|session|log[ -]?in/i.test(text) ? 'TOKEN_REFUSED' : 'INVALID_RESPONSE';
  const noList = parsed.error.issues.find(({ path }) => path[0] === 'data' || path[0] === 'result');
  const standing = noList && (json as Record<string, unknown>)[String(noList.path[0])];
  if (code === 'INVALID_RESPONSE' && standing !== undefined && errorTextOf(json) === null) {
    const kind =
      typeof standing === 'object'
        ? 'an object'
        : typeof standing === 'string'
          ? 'a text'
          : `a ${typeof standing}`;
    const what = standing === null ? 'null, though no count says 0' : `${kind}, and not a list`;
    throw refused(code, `${String(noList!.path[0])} is ${what}`);
  }
  throw refused(code, describeJson(json, redactor));
}

function refused(code: 'TOKEN_REFUSED' | 'INVALID_RESPONSE', text: string, retryNow?: boolean): AttemptError {
  const what = code === 'TOKEN_REFUSED' ? 'the service refuses the session token' : 'invalid response';
  return new AttemptError(code, `${what} (${text})`, { retryNow });
}

/** Knows no token: archived bodies are already redacted. */
const noTokens = createRedactor();

/** Parses an archived body by today's rules. Returns null if by these it isn't valid, or if its status is an error. */
export function parseArchived<T>(
  body: string,
  status: number | null,
  schema: ZodType<T>,
): ParsedResponse<T> | null {
  if (status === null || status < 200 || status > 299) return null;
  try {
    return parseResponse(body, schema, noTokens);
  } catch (error) {
    if (error instanceof AttemptError) return null;
    throw error;
  }
}

function parseJson(body: string, redactor: Redactor): { readonly json: unknown; readonly cleanBody: string } {
  try {
    const json = parseExactly(body);
    if (redactor.redactValue(body) === body) return { json, cleanBody: body };
    const clean = redactTexts(json, redactor);
    // The token occurs only in a number: a count that equals it is still a count.
    if (isDeepStrictEqual(clean, json)) return { json, cleanBody: body };
    return { json: clean, cleanBody: JSON.stringify(clean) };
  } catch (error) {
    if (error instanceof RangeError) throw refused('INVALID_RESPONSE', 'the body is nested too deep', false);
    if (!(error instanceof SyntaxError)) throw error;
    if (/^\s*[{[]/.test(body)) throw malformed(body, error, redactor);
    // Often a proxy's page, which is gone at the next attempt.
    throw refused('INVALID_RESPONSE', `not JSON: ${describeBody(body, redactor)}`);
  }
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

/** Redacts the names and texts of parsed JSON, but not its numbers. */
function redactTexts(value: unknown, redactor: Redactor): unknown {
  if (typeof value === 'string') return redactor.redactValue(value);
  if (Array.isArray(value)) return value.map((each) => redactTexts(each, redactor));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, each]) => [
    redactor.redactValue(name),
    redactTexts(each, redactor),
  ]);
  return Object.fromEntries(fields);
}
