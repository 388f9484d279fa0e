/** The findings in an envelope, outside its list of records (service.md 2.2, 2.3). */
export type EnvelopeRemark = {
  /** Why the response isn't good: the token is refused, or the response is invalid. Null if it is good. */
  readonly problem: {
    readonly code: 'TOKEN_REFUSED' | 'INVALID_RESPONSE';
    readonly text: string;
  } | null;
  /** A text in a good response that casts doubt on it; null if there is none. */
  readonly notice: string | null;
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
const messageName = /message|msg|detail|descr|reason|notice|remark|warn|status|^(?:info|note|text)$/i;

/** Texts that say nothing: none at all, 0, false or null as text, and words for "all is well". */
const emptyText = /^(?:0|false|null|none|no errors?|n\/a|ok|okay|success(?:ful)?|succeeded|done)?\W*$/i;

/** Far more than any envelope has. Deeper or later values are ignored. */
const maxDepth = 20;
const maxLeaves = 1_000;

/**
 * Distinguishes a good response from one that only looks good (design, *A good response*). An empty list with an
 * error, or with text about a session, login or token, is a problem: the document shows no errors (service.md 7),
 * and an expired session would look like a day without campaigns. Other text is a notice. If the list has
 * records, an error is a notice, and other text is ignored.
 *
 * @param envelope parsed JSON that has one of the two lists
 */
export function examineEnvelope(envelope: unknown): EnvelopeRemark {
  const fields = Object.entries(envelope as object);
  const isList = ([name, value]: [string, unknown]) => lists.includes(name) && Array.isArray(value);
  const hasRows = fields.some((field) => isList(field) && (field[1] as unknown[]).length > 0);
  const others = fields.filter((field) => !isList(field));
  const leaves = [...leavesOf('', '', Object.fromEntries(others), false, maxDepth).take(maxLeaves)];
  const errors = leaves.filter(saysError);
  if (hasRows) return { problem: null, notice: textOf(errors) };
  const access = leaves.filter((leaf) => isAboutAccess(leaf, saysError(leaf)));
  if (access.length > 0) return none('TOKEN_REFUSED', access);
  if (errors.length > 0) return none('INVALID_RESPONSE', errors);
  return { problem: null, notice: textOf(leaves.filter(isMessage)) };
}

function none(code: NonNullable<EnvelopeRemark['problem']>['code'], leaves: readonly Leaf[]): EnvelopeRemark {
  return { problem: { code, text: `no records, and ${textOf(leaves)}` }, notice: null };
}

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
  if (/^(?:http_?)?(?:status|code)(?:_?code)?$/i.test(name) && isErrorStatus(value)) return true;
  return /status|^state$/i.test(name) && /^(?:error|fail(?:ed|ure)?)$/i.test(String(value).trim());
}

function hasContent(value: unknown): boolean {
  if (typeof value === 'string') return !emptyText.test(value.trim());
  return value !== null && value !== false && value !== 0;
}

function isErrorStatus(value: unknown): boolean {
  return Number(value) >= 400 && Number(value) < 600;
}

function isMessage({ name, value }: Leaf): boolean {
  return messageName.test(name) && typeof value === 'string' && hasContent(value);
}

/**
 * Returns whether a leaf is about a session, login or token. For an error, its path and 401 or 403 count, too.
 */
function isAboutAccess({ path, value }: Leaf, isError: boolean): boolean {
  if (isError && (String(value) === '401' || String(value) === '403')) return true;
  if (isError && namesAccess(`${path} ${value}`)) return true;
  // A URL or an e-mail address may contain such a word by chance.
  if (typeof value !== 'string' || (/[/@]/.test(value) && !/\s/.test(value))) return false;
  return namesAccess(value);
}

const accessWords =
  /token|session|\blog[ -]?(?:in|on)\b|not logged|\bsign[ -]?in\b|unauthori[sz]ed|not authori[sz]ed|authenticat/i;

function namesAccess(text: string): boolean {
  return accessWords.test(withoutParameter(text));
}

/** Removes `sidtoken=…`: an error that repeats the request would look like a token error. */
export function withoutParameter(text: string): string {
  return text.replaceAll(/sidtoken=[^\s"&]*/gi, '');
}

/** For example `error: session expired; error.code: 401`; null without leaves. */
function textOf(leaves: readonly Leaf[]): string | null {
  return leaves.length === 0 ? null : leaves.map(({ path, value }) => `${path}: ${value}`).join('; ');
}
