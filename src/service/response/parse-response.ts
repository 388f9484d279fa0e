import { isDeepStrictEqual } from 'node:util';
import type { ZodError, ZodType } from 'zod';
import type { EnvelopeTexts } from '../../model/records.ts';
import { createRedactor, excerpt, type Redactor } from '../../support/redaction.ts';
import { AttemptError, describeBody, describeJson } from '../failures.ts';
import { errorTextOf, examineEnvelope, isUnfinishedStatus, type Problem } from './envelope.ts';
import { parseExactly } from './exact-json.ts';

/** Content with the number of its records as received. */
export type Listed = { readonly rows: number };

/** The content of a valid response, its body for the archive, and the texts of its envelope. */
export type ParsedResponse<T> = EnvelopeTexts & { readonly content: T; readonly body: string };

/** A response as it was received: its status, and its body as text. */
export type Received = { readonly status: number; readonly body: string };

/** The statuses that come without a body. */
const withoutBody = [204, 205];

/** Errors of other kinds are about the caller, the address or a server: no text of theirs is about the list. */
const statusesAboutList = [400, 404, 406, 409, 410, 412, 416, 419, 422, 423, 425, 440, 498];

/**
 * Reads a response (design, *A good response*). If the body repeats a long token, redacts its values first. A response that
 * says that nothing was found is read as an empty list, with `noList`. Returns null if the status is an error and the body adds
 * nothing. Throws an AttemptError if it isn't JSON, isn't what the document shows, or if its envelope reports a problem.
 */
export function parseResponse<T extends Listed>(
  { status, body }: Received,
  schema: ZodType<T>,
  redactor: Redactor,
): ParsedResponse<T> | null {
  const isGood = status >= 200 && status <= 299;
  if (withoutBody.includes(status)) return noList(schema, body, `HTTP ${status}`);
  if (!isGood && (!statusesAboutList.includes(status) || !/^\s*\{/.test(body))) return null;
  const { json, cleanBody } = parseAny(status, body, redactor) ?? {};
  if (cleanBody === undefined) return null;
  const { success, data, error } = schema.safeParse(json);
  const tooMany = error?.issues.find(({ code }) => code === 'too_big');
  if (tooMany !== undefined) throw invalid(`the body has ${tooMany.message}`, { retryNow: false });
  const { problem, ...texts } = examineEnvelope(json, status, success ? data.rows : null);
  if (problem !== null) throw problemError(problem.kind, excerpt(problem.text, redactor), success);
  if (texts.noList !== null) return noList(schema, cleanBody, excerpt(texts.noList, redactor));
  if (!isGood) return null;
  if (!success) throw invalid(describeInstead(json, error, redactor));
  const shown = (text: string | null) => text && excerpt(text, redactor);
  return {
    content: data,
    body: cleanBody,
    notice: shown(texts.notice),
    unfinished: shown(texts.unfinished),
    noList: null,
  };
}

function noList<T>(schema: ZodType<T>, body: string, text: string): ParsedResponse<T> {
  const content = schema.parse({ data: [], result: [] });
  return { content, body, notice: null, unfinished: null, noList: text };
}

/** A response that isn't done often has no JSON yet. Returns null for an error without JSON. */
function parseAny(status: number, body: string, redactor: Redactor): ReturnType<typeof parseJson> | null {
  try {
    return parseJson(body, redactor);
  } catch (error) {
    if (isUnfinishedStatus(status)) throw problemError('unfinished', `HTTP ${status}`, false);
    if (status > 299 && error instanceof AttemptError) return null;
    throw error;
  }
}

function problemError(kind: Problem['kind'], text: string, isListed: boolean): AttemptError {
  const what = isListed ? `no records, and ${text}` : text;
  if (kind === 'invalid') return invalid(what);
  if (kind === 'refused')
    // A response that has its list may be good the next time.
    return new AttemptError('TOKEN_REFUSED', `the service refuses the session token (${what})`, {
      retryNow: isListed,
    });
  return new AttemptError('INVALID_RESPONSE', `the service isn't done yet (${what})`, {
    advice: 'each run asks again; if it lasts, ask the provider when the figures of a day are ready',
  });
}

function invalid(text: string, options?: { readonly retryNow: boolean }): AttemptError {
  return new AttemptError('INVALID_RESPONSE', `invalid response (${text})`, options);
}

/** Describes what a response without a list has in its place. */
function describeInstead(json: unknown, { issues }: ZodError, redactor: Redactor): string {
  const name = issues.map(({ path }) => String(path[0])).find((each) => each === 'data' || each === 'result');
  const value = name && (json as Record<string, unknown>)[name];
  if (value === undefined || errorTextOf(json) !== null) return describeJson(json, redactor);
  if (value === null) return `${name} is null, though no count says 0`;
  const kind =
    typeof value === 'object' ? 'an object' : typeof value === 'string' ? 'a text' : `a ${typeof value}`;
  return `${name} is ${kind}, and not a list`;
}

/** Knows no token: archived bodies are already redacted. */
const noTokens = createRedactor();

/**
 * Parses an archived response by today's rules. Returns null if by these it isn't valid.
 *
 * @param wasRead it was read when it came: only then is one without a list an empty list
 */
export function parseArchived<T extends Listed>(
  { status, body }: { readonly status: number | null; readonly body: string },
  wasRead: boolean,
  schema: ZodType<T>,
): ParsedResponse<T> | null {
  if (status === null) return null;
  try {
    const parsed = parseResponse({ status, body }, schema, noTokens);
    return parsed?.noList != null && !wasRead ? null : parsed;
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
    if (error instanceof RangeError) throw invalid('the body is nested too deep', { retryNow: false });
    if (!(error instanceof SyntaxError)) throw error;
    if (/^\s*[{[]/.test(body)) throw malformed(body, error, redactor);
    // Often a proxy's page, which is gone at the next attempt.
    throw invalid(`not JSON: ${describeBody(body, redactor)}`);
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
