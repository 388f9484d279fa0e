import { emptyBody, furtherFields, notJson } from '../../model/accepted.ts';
import { formatCountOf } from '../../support/english.ts';
import { excerpt, type Redactor } from '../../support/redaction.ts';
import { readCount } from './count.ts';
import { type AnswerShape, isObject, type List } from './find-list.ts';

/* What an answer says besides its records (docs/service-assumptions.md). No text of the service is understood here: it is quoted. */

/** Bounds what is quoted of an answer, in remarks and in characters. Further leaves are counted. */
const maxRemarks = 50;
const maxLength = 200;
const maxPathLength = 100;
const maxLeaves = 1_000;
const maxDescription = 500;
const maxDepth = 20;

/** A list of errors is short, and its texts matter; those of a longer list are texts of rows. */
const maxQuotedObjects = 3;

/** The numbers in the envelopes of both operations. */
const pageNumbers = ['page', 'pages', 'limit'];
const counts = ['clients', 'results', 'count', 'campaigns', 'reports'];

/** A value that isn't a list or an object, a list of so many objects, or what is nested too deep. */
type Leaf = { readonly path: string; readonly name: string } & (
  | { readonly value: unknown }
  | { readonly objects: number }
  | { readonly isTooDeep: true }
);

type Said = { readonly status: number; readonly json: unknown; readonly list: List | null };

/** Returns the remarks of an answer: its status, and each leaf that the document doesn't show. */
export function remarksOf({ status, json, list }: Said, shape: AnswerShape, redactor: Redactor): string[] {
  const leaves = leavesOf(json, list?.value);
  return [
    ...describeStatus(status),
    ...describeLeaves(leaves, redactor, (leaf) => !isDocumented(leaf, shape)),
  ];
}

/** Returns all that JSON without records says: its remarks, and the counts that aren't 0. */
export function signOf({ status, json, list }: Said, shape: AnswerShape, redactor: Redactor): string {
  const isSaid = (leaf: Leaf) =>
    !isDocumented(leaf, shape) || (counts.includes(leaf.path) && 'value' in leaf && Number(leaf.value) !== 0);
  const parts = [...describeStatus(status), ...describeLeaves(leavesOf(json, list?.value), redactor, isSaid)];
  if (parts.length > 0) return parts.join('; ');
  const fields = isObject(json) ? excerpt(Object.keys(json).slice(0, 5).join(', '), redactor) : '';
  return fields === '' ? 'JSON without a list' : `JSON without a list, with the fields ${fields}`;
}

/** Returns all that a body says which isn't JSON. */
export function signOfText(status: number, body: string, redactor: Redactor): string {
  const isEmpty = body.trim() === '';
  // Such a status says that a body may be missing.
  if (isEmpty && status > 200 && status <= 299) return `HTTP ${status}`;
  const said = isEmpty ? describeText(body, redactor) : `${notJson}${describeText(body, redactor)}`;
  return [...describeStatus(status), said].join('; ');
}

/** Describes the body of an error: JSON by its leaves, a page by its title, others by their first line. */
export function describeBody(body: string, redactor: Redactor): string {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return describeText(body, redactor);
  }
  return (
    describeLeaves(leavesOf(json), redactor).join('; ').slice(0, maxDescription).toWellFormed() ||
    'JSON without a text'
  );
}

const describeStatus = (status: number) => (status === 200 ? [] : [`HTTP ${status}`]);

function* leavesOf(
  value: unknown,
  list?: unknown,
  path = '',
  name = '',
  depth = maxDepth,
): Generator<Leaf, void> {
  const at = { path: path === '' ? 'body' : path, name };
  if (typeof value !== 'object' || value === null) yield { ...at, value };
  else if (value === list) return;
  else if (depth === 0) yield { ...at, isTooDeep: true };
  else if (Array.isArray(value)) {
    const objects = value.filter(isObject).length;
    if (objects > 0) yield { ...at, objects };
    if (objects <= maxQuotedObjects)
      for (const each of value) yield* leavesOf(each, list, path, name, depth - 1);
  } else
    for (const [key, each] of Object.entries(value))
      yield* leavesOf(each, list, path === '' ? key : `${path}.${key}`, key, depth - 1);
}

/** Returns whether the document shows a field, and a value of this kind for it. */
function isDocumented(leaf: Leaf, { operation }: AnswerShape): boolean {
  if (!('value' in leaf)) return false;
  const { path, value } = leaf;
  if (path === 'apirid') return typeof value === 'string' || typeof value === 'number';
  const isPaging = pageNumbers.includes(path);
  if (!isPaging && !counts.includes(path)) return false;
  // A summary has no pages: this says that there is more.
  if (operation === 'campaignSummary' && path === 'pages' && Number(value) > 1) return false;
  // `-1` clients are no number of clients.
  return readCount(value) !== null || (isPaging && isNumber.test(String(value).trim()));
}

/** Describes leaves as `path: value`, each text once, in the same order whatever the service's; without those that say nothing. */
function describeLeaves(
  leaves: Iterable<Leaf>,
  redactor: Redactor,
  isSaid: (leaf: Leaf) => boolean = () => true,
): string[] {
  const parts = new Set<string>();
  let further = 0;
  let looked = 0;
  for (const leaf of leaves) {
    if (looked++ === maxLeaves || 'isTooDeep' in leaf) further++;
    if (looked > maxLeaves) break;
    if ('isTooDeep' in leaf) continue;
    const value =
      'objects' in leaf ? `a list of ${formatCountOf(leaf.objects, 'object')}` : shown(leaf.value, redactor);
    if (value === '' || saysNothing(leaf.name, value) || !isSaid(leaf)) continue;
    // A name may be a date.
    const path = excerpt(leaf.path, redactor, maxPathLength).split('.').map(withoutNumbers).join('.');
    const part = `${path}: ${value}`.slice(0, maxLength).toWellFormed();
    if (parts.size < maxRemarks) parts.add(part);
    else if (!parts.has(part)) further++;
  }
  return [...[...parts].toSorted(), ...(further > 0 ? [`${furtherFields}${further}`] : [])];
}

/** Returns whether all is well (docs/service-assumptions.md). Nowhere else does Callsheet understand words of the service. */
function saysNothing(name: string, value: string): boolean {
  const [field, text] = [name.toLowerCase(), value.toLowerCase()];
  if (['ok', 'success', 'done'].includes(text)) return true;
  if (field === 'success' || field === 'ok') return text === 'true' || text === '1';
  if (field === 'error') return text === 'false' || text === '0';
  return (field === 'status' || field === 'code') && text === '200';
}

const isNumber = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** A value as it is quoted; an empty one says nothing. */
function shown(value: unknown, redactor: Redactor): string {
  if (value === null) return '';
  const text = String(value).trim();
  if (text.startsWith('<')) return describeText(text, redactor);
  // Numbers become shorter.
  const quoted = excerpt(text, redactor, maxLength * 2);
  return typeof value !== 'string' || isNumber.test(quoted) ? quoted : withoutNumbers(quoted);
}

/** Describes a text for people, redacted: a page by its title, others by their first line. */
function describeText(text: string, redactor: Redactor): string {
  const title = /^\s*</.test(text)
    ? /<title[^>]*>([^<]+)/i.exec(excerpt(text, redactor, 2_000))?.[1]?.trim()
    : '';
  if (title) return `a page titled "${withoutNumbers(title.slice(0, maxLength))}"`;
  const lines = text
    .slice(0, 20_000)
    .replaceAll(/<[^>]*>/g, '')
    .split('\n');
  const line = excerpt(lines.find((each) => each.trim() !== '') ?? '', redactor, maxLength);
  return withoutNumbers(line) || (text.trim() === '' ? emptyBody : 'a page without a text');
}

/** Words of a script without spaces between them. */
const words = /[^\s\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Khmr}\p{scx=Laoo}\p{scx=Mymr}]+/gu;
const numbers = /\p{N}+(?:[^\p{L}\p{N}]+\p{N}+)*/gu;

/** The id of a request or a trace: hexadecimal, of 16 signs or more. */
const identifiers =
  /(?<![\p{L}\p{N}])(?=(?:-?[\da-f]){16})(?=[a-f-]*\d)[\da-f]+(?:-[\da-f]+)*(?![\p{L}\p{N}])/giu;

/** Writes `#` for identifiers, and for the numbers of each word that begins with one: a text is the same on each day. `E104` is a name. */
function withoutNumbers(text: string): string {
  return text
    .replaceAll(identifiers, '#')
    .replaceAll(words, (word) => (/^[^\p{L}\p{N}]*\p{N}/u.test(word) ? word.replaceAll(numbers, '#') : word));
}
