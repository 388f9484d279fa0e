import { isDeepStrictEqual } from 'node:util';
import { type ZodType, z } from 'zod';
import { maxRejects, type Reading, type Reject } from '../../model/records.ts';
import { formatCountOf } from '../../support/english.ts';
import { readCount } from './count.ts';
import { isObject } from './find-list.ts';

const notNatural = 'not a whole number from 0 to 2^53 - 1';
export const safeNatural = z.int(notNatural).nonnegative(notNatural);

/** An id, read as a count is. */
export const id = z.union([safeNatural, z.unknown().transform(readCount).pipe(safeNatural)], notNatural);

/**
 * Parses the records of a response one by one: one without an id goes to the rejects with its reason, the others load. A name, a further
 * field or a count that can't be read or kept becomes null. If records with the same id are identical once parsed, one loads; if they
 * differ, all go to the rejects.
 *
 * @param schema  a record as the service names its fields
 * @param idField its id
 * @param nameFields those that are null if they aren't a text
 * @param countFields those that are null if they can't be read: such records are counted
 */
export function parseRecords<IdField extends string, Raw extends { readonly [id in IdField]: number }, T>(
  raw: readonly unknown[],
  schema: ZodType<Raw>,
  idField: IdField,
  toRecord: (valid: Raw) => T,
  nameFields: readonly string[] = [],
  countFields: readonly string[] = [],
): Reading<T> {
  const documented = [idField, ...nameFields, ...countFields];
  const byId = new Map<number, { readonly valid: Raw; readonly versions: unknown[] }>();
  const rejects: Reject[] = [];
  let rejectCount = 0;
  let unreadableCounts = 0;
  const leftOut = new Map<string, number>();
  const reject = (each: unknown, reason: string, id: number | null) => {
    rejectCount++;
    if (rejects.length < maxRejects) rejects.push({ payload: payloadOf(each), reason, id });
  };
  for (const each of raw) {
    const { record, reasons } = keepable(each, documented);
    const { success, data: valid, error } = schema.safeParse(record);
    if (!success) {
      const issues = error.issues.map(({ path, message }) => `${path.join('.') || 'record'}: ${message}`);
      reject(each, issues.join('; '), null);
      continue;
    }
    const known = byId.get(valid[idField]);
    if (known === undefined) byId.set(valid[idField], { valid, versions: [each] });
    else if (!isDeepStrictEqual(known.valid, valid)) known.versions.push(each);
    const isUnread = (name: string, of: unknown) =>
      ((of as Record<string, unknown>)[name] ?? null) !== null && valid[name as IdField] === null;
    if (countFields.some((name) => isUnread(name, each))) unreadableCounts++;
    if (nameFields.some((name) => isUnread(name, record))) reasons.add('a name that is no text');
    for (const reason of reasons) leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
  }
  const records: T[] = [];
  for (const [id, { valid, versions }] of byId) {
    if (versions.length === 1) records.push(toRecord(valid));
    else for (const each of versions) reject(each, 'the same id with differing values', id);
  }
  const logged = [...leftOut].map(
    ([reason, count]) => `left out of ${formatCountOf(count, 'record')}: ${reason}`,
  );
  return {
    records,
    rejects,
    rejectCount,
    ...(unreadableCounts > 0 && { unreadableCounts }),
    logged,
  };
}

/** Far more than a summary needs, in bytes of JSON. */
const maxRecordBytes = 65_536;

/** Far more than a summary needs. The stack and jsonb both limit the depth. */
const maxDepth = 100;

/** Returns a record with null for each name and field that Postgres can't or shouldn't hold; if it still is too large, without its further fields. */
function keepable(
  record: unknown,
  documented: readonly string[],
): { readonly record: unknown; readonly reasons: Set<string> } {
  const reasons = new Set<string>();
  if (!isObject(record) || unstorable(record, maxDepth) === null) return { record, reasons };
  const fields: [string, unknown][] = [];
  for (const [name, value] of Object.entries(record)) {
    const nameReason = unstorable(name, 0);
    const reason = nameReason ?? unstorable(value, maxDepth - 1);
    if (reason !== null) reasons.add(reason);
    if (nameReason === null) fields.push([name, reason === null ? value : null]);
  }
  const kept = Object.fromEntries(fields);
  const reason = unstorable(kept, maxDepth);
  if (reason === null) return { record: kept, reasons };
  reasons.add(reason);
  return { record: Object.fromEntries(fields.filter(([name]) => documented.includes(name))), reasons };
}

/** Returns why Postgres can't or shouldn't hold a value, for example U+0000, a lone surrogate or its size; null if it can. */
function unstorable(value: unknown, depth: number): string | null {
  let characters = 0;

  function reasonOf(value: unknown, depth: number): string | null {
    characters += 5;
    if (typeof value === 'string') {
      characters += value.length;
      if (value.includes('\0')) return 'a text with U+0000 in it';
      return value.isWellFormed() ? null : 'a text that is not UTF-8, or half of a character';
    }
    if (typeof value !== 'object' || value === null) return null;
    if (depth === 0) return `nested deeper than ${maxDepth} levels`;
    // Parsed JSON inherits no keys. `Object.entries` would make three objects for each field of each record.
    for (const key in value) {
      const reason = reasonOf(key, depth) ?? reasonOf((value as Record<string, unknown>)[key], depth - 1);
      if (reason !== null) return reason;
    }
    return null;
  }

  const reason = reasonOf(value, depth);
  // A character takes six bytes at most (`\u0000`), a number thirty.
  if (reason !== null || characters * 6 <= maxRecordBytes) return reason;
  return Buffer.byteLength(JSON.stringify(value)) > maxRecordBytes ? 'larger than 64 KB' : null;
}

/** Returns JSON, which escapes what Postgres can't store. Cuts a large record: the archive has all of it. */
function payloadOf(raw: unknown): string {
  try {
    return JSON.stringify(raw).slice(0, maxRecordBytes);
  } catch {
    return '(nested too deep for JSON)';
  }
}
