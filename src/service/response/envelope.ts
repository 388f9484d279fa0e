import type { EnvelopeTexts } from '../../model/records.ts';
import {
  isStateOfWork,
  refusesAccess,
  saysFailure,
  saysNothingFound,
  saysUnfinished,
  words,
} from './words.ts';

/** Why a response isn't good. */
export type Problem = { readonly kind: 'refused' | 'unfinished' | 'invalid'; readonly text: string };

/** The parts of a response besides its list (service.md 2.2, 2.3). */
export type EnvelopeReading = EnvelopeTexts & {
  /** Null if it is good, or if it only lacks a list and doesn't say why. */
  readonly problem: Problem | null;
};

/** A value of the envelope that isn't a list or an object. */
type Leaf = {
  /** For example `error.message`. */
  readonly path: string;
  /** The last part of the path: `message`. */
  readonly name: string;
  readonly value: unknown;
  /** It is an error field or part of one. */
  readonly isInError: boolean;
};

const lists = ['data', 'result'];

const errorName = /error|exception|^(?:err|fault|failure)/i;
const messageName =
  /message|msg|detail|descr|reason|notice|remark|warn|status|^(?:info|note|text|title|response|data|result)$/i;

/** Texts that say nothing: none at all, 0, false or null as text, and words for "all is well". */
const emptyText = /^(?:0|false|null|none|no errors?|n\/a|ok|okay|success(?:ful)?|succeeded|done)?\W*$/i;

/** Far more than any envelope has. Deeper or later values are ignored. */
const maxDepth = 20;
const maxLeaves = 1_000;

/** Returns whether a status of HTTP says "not yet" (202) or "in part" (the others). */
export const isUnfinishedStatus = (status: number): boolean => [202, 206, 207, 208, 226].includes(status);

/**
 * Distinguishes a good response from one that only looks good (design, *A good response*). With rows, it is good: an error becomes
 * the notice, and text that the service isn't done becomes `unfinished`. Without rows, it isn't good if it refuses a session, login
 * or token, reports an error, or says that the service failed or isn't done. Text that nothing was found takes the place of a list.
 *
 * @param json   a parsed body
 * @param status 200, another one that comes with a body, or that of an error
 * @param rows   the number of its records; null if it has no list
 */
export function examineEnvelope(json: unknown, status: number, rows: number | null): EnvelopeReading {
  const fields = Object.entries(Object(json));
  const isList = ([name, value]: [string, unknown]) =>
    rows !== null && lists.includes(name) && typeof value === 'object';
  const others = Object.fromEntries(fields.filter((field) => !isList(field)));
  const leaves = [...leavesOf('', '', others, false, maxDepth).take(maxLeaves)];
  // A page of clients may say that there are more.
  const isPaged = fields.some(([name]) => name === 'data');
  const unfinished = leaves.filter((leaf) => isUnfinished(leaf) || (!isPaged && saysMore(leaf)));
  const errors = leaves.filter((leaf) => saysError(leaf) && !unfinished.includes(leaf));
  const none = { problem: null, notice: null, unfinished: null, noList: null };
  const byStatus = status === 200 ? [] : [`HTTP ${status}`];
  const unfinishedText = join([...(isUnfinishedStatus(status) ? byStatus : []), ...unfinished.map(describe)]);
  if (rows !== null && rows > 0)
    return { ...none, notice: join(errors.map(describe)), unfinished: unfinishedText };

  const problem = (kind: Problem['kind'], found: readonly Leaf[]) => ({
    ...none,
    problem: { kind, text: join([...byStatus, ...found.map(describe)])! },
  });
  const refusing = leaves.filter((leaf) => refuses(leaf, errors.includes(leaf)));
  if (refusing.length > 0) return problem('refused', refusing);
  if (unfinishedText !== null) return problem('unfinished', unfinished);
  const failing = leaves.filter(
    (leaf) => !errors.includes(leaf) && isText(leaf) && saysFailure(wordsOf(leaf)),
  );
  const empty = leaves.filter((leaf) => (isText(leaf) || isCode(leaf)) && saysNothingFound(wordsOf(leaf)));
  const isNothing =
    failing.length === 0 &&
    !fields.some(([name, value]) => countNames.includes(name) && Number(value) > 0) &&
    errors.every((leaf) => empty.includes(leaf) || isMark(leaf));
  const isGood = status >= 200 && status <= 299;
  const bad = [...errors, ...failing];
  if (isGood && rows === 0 && bad.length === 0)
    return { ...none, notice: join(leaves.filter(isMessage).map(describe)) };
  if (isNothing && (empty.length > 0 || (rows === 0 && !isGood))) {
    const sent = empty[0] === undefined ? 'an empty list' : String(empty[0].value);
    return { ...none, noList: `HTTP ${status}: ${sent}` };
  }
  // Without a list, the whole of it is described.
  return isGood && rows === 0 ? problem('invalid', bad) : none;
}

const countNames = ['campaigns', 'reports', 'clients', 'results', 'count'];

function* leavesOf(
  path: string,
  name: string,
  value: unknown,
  isInError: boolean,
  depth: number,
): Generator<Leaf, void> {
  const isError = isInError || errorName.test(name);
  if (typeof value !== 'object' || value === null) {
    yield { path, name, value, isInError: isError };
    return;
  }
  if (depth === 0) return;
  if (Array.isArray(value)) {
    for (const each of value) yield* leavesOf(path, name, each, isError, depth - 1);
    return;
  }
  for (const [key, each] of Object.entries(value)) {
    yield* leavesOf(path === '' ? key : `${path}.${key}`, key, each, isError, depth - 1);
  }
}

/** The text of an error in JSON, a message before any other; null without one. */
export function errorTextOf(json: unknown): string | null {
  const texts = [...leavesOf('', '', json, false, maxDepth).take(maxLeaves)].filter(
    (leaf) => isMessage(leaf) || (leaf.isInError && typeof leaf.value === 'string' && hasContent(leaf.value)),
  );
  const message = texts.find(({ name }) => /message|msg|detail|descr|reason/i.test(name)) ?? texts[0];
  return message === undefined ? null : String(message.value);
}

/** Returns whether a leaf reports an error: by an error field, a status, or `success: false`. */
function saysError({ name, value, isInError }: Leaf): boolean {
  if (isInError) return hasContent(value);
  if (/^(?:success|succeeded|ok)$/i.test(name)) return value === false || value === 'false';
  if (isStatus(name) && Number(value) >= 400 && Number(value) < 600) return true;
  return /status|^state$/i.test(name) && /^(?:error|fail(?:ed|ure)?)$/i.test(String(value).trim());
}

const isStatus = (name: string) => /^(?:http_?)?(?:status|code)(?:_?code)?$/i.test(name);

/** An error that doesn't say which: a flag, a code, a status. Those of HTTP about access or the server say more. */
function isMark({ name, value }: Leaf): boolean {
  if (/^(?:401|403|5\d\d)$/.test(String(value))) return false;
  return (
    typeof value !== 'string' || isStatus(name) || isCode({ name, value }) || words(value) === 'not found'
  );
}

const isCode = ({ name, value }: Pick<Leaf, 'name' | 'value'>) =>
  typeof value === 'string' && /code|type|title|status|state/i.test(name);

function hasContent(value: unknown): boolean {
  if (typeof value === 'string') return !emptyText.test(value.trim());
  return value !== null && value !== false && value !== 0;
}

function isText({ name, value, isInError }: Leaf): boolean {
  return typeof value === 'string' && (isInError || messageName.test(name)) && hasContent(value);
}

function isMessage(leaf: Leaf): boolean {
  return isText({ ...leaf, isInError: false }) && !lists.includes(leaf.name);
}

const isTrue = (value: unknown) => value === true || /^(?:true|yes)$/i.test(String(value));
const isFalse = (value: unknown) => value === false || /^(?:false|no)$/i.test(String(value));

/** `status: processing`, `code: 202`, `complete: false`, `partial: true`, `progress: 40`, `message: not ready yet`. */
function isUnfinished({ name, value, isInError }: Leaf): boolean {
  if (isInError) return false;
  const called = words(name);
  if (isStatus(name) && isUnfinishedStatus(Number(value))) return true;
  if (isFalse(value))
    return /^(?:is )?(?:all )?(?:complete|completed|finished|done|ready|final)$/.test(called);
  // Numbers under other names may be counts.
  if (value === 0 && /^(?:is )?(?:complete|ready|final)$/.test(called)) return true;
  if (value === 1 && /^(?:is )?(?:partial|incomplete|preliminary)$/.test(called)) return true;
  if (isTrue(value))
    return /^(?:is |in )?(?:partial|incomplete|pending|processing|progress|running|preliminary)$/.test(
      called,
    );
  if (/^(?:progress|percent(?:age)? (?:complete|done)|completion)$/.test(called)) {
    const share = Number.parseFloat(String(value));
    // 1 is all of it, or a hundredth.
    return share >= 0 && share < 100 && share !== 1;
  }
  if (typeof value !== 'string') return false;
  const text = words(value);
  if (/\b(?:status|state|phase|stage)$/.test(called) && isStateOfWork(text)) return true;
  return messageName.test(name) && saysUnfinished(text);
}

/** The list goes on elsewhere: `has_more: true`, `next: "/page/2"`, `pages: 3`. */
function saysMore({ path, name, value, isInError }: Leaf): boolean {
  if (isInError) return false;
  const called = words(name);
  if (isTrue(value)) return /^(?:is )?(?:has more|has next|more|truncated|more available)$/.test(called);
  if (/^(?:(?:total )?pages|page count)$/.test(called)) return Number(value) > 1;
  return (
    /(?:^| )next(?: (?:page|url|uri|link|cursor|offset|href|token|page token))?$/.test(words(path)) &&
    hasContent(value)
  );
}

/** Returns whether a leaf refuses a session, login or token. In an error, 401, 403 and a code under such a name do, too. */
function refuses({ path, name, value }: Leaf, isError: boolean): boolean {
  if (isError && /^40[13]$/.test(String(value))) return true;
  if (isError && typeof value !== 'string' && /token|session|login/i.test(name)) return true;
  if (isTrue(value)) return refusesAccess(words(path));
  if (isFalse(value))
    return /^(?:is )?(?:authenticated|authori[sz]ed|logged in|(?:session|token) valid|valid (?:session|token))$/.test(
      words(name),
    );
  if (typeof value !== 'string') return false;
  // A URL or an e-mail address may contain such a word by chance.
  if (!isError && /[/@]/.test(value) && !/\s/.test(value)) return false;
  return refusesAccess(words(withoutParameter(`${path} ${value}`)));
}

const wordsOf = ({ value }: Leaf) => words(withoutParameter(String(value)));

/** Removes `sidtoken=…`: an error that repeats the request would look like a token error. */
function withoutParameter(text: string): string {
  return text.replaceAll(/sidtoken=[^\s"&]*/gi, '');
}

const describe = ({ path, value }: Leaf) => `${path}: ${value}`;

/** For example `error: session expired; error.code: 401`; null without any. */
const join = (found: readonly string[]) => (found.length === 0 ? null : found.join('; '));
