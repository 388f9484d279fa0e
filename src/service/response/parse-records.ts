import { isDeepStrictEqual } from 'node:util';
import { type ZodType, z } from 'zod';
import { maxRejects, type Reading, type Reject } from '../../model/records.ts';

const notNatural = 'not a whole number from 0 to 2^53 - 1';
export const safeNatural = z.int(notNatural).nonnegative(notNatural);
const naturalText = z
  .string()
  .trim()
  .regex(/^-?\d+$/)
  .transform(Number)
  .pipe(safeNatural);

/** An id: a number, or a number as text. */
export const natural = z.union([safeNatural, naturalText], notNatural);

/**
 * Parses the records of a response one by one: an invalid record goes to the rejects with its reason, the
 * others load. If records with the same id are identical once parsed, one loads; if they differ, all go to the rejects.
 *
 * @param schema  a record as the service names its fields
 * @param idField its id
 * @param countFields those that are null if they can't be read: the record is counted, and loads
 */
export function parseRecords<IdField extends string, Raw extends { readonly [id in IdField]: number }, T>(
  raw: readonly unknown[],
  schema: ZodType<Raw>,
  idField: IdField,
  toRecord: (valid: Raw) => T,
  countFields: readonly string[] = [],
): Omit<Reading<T>, 'remarks'> {
  const byId = new Map<number, { readonly valid: Raw; readonly versions: unknown[] }>();
  const rejects: Reject[] = [];
  let rejectCount = 0;
  let unreadableCounts = 0;
  const reject = (each: unknown, reason: string, id: number | null) => {
    rejectCount++;
    if (rejects.length < maxRejects) rejects.push({ payload: payloadOf(each), reason, id });
  };
  for (const each of raw) {
    const result = parseOne(each, schema);
    if ('reason' in result) {
      reject(each, result.reason, idOf(each, idField));
      continue;
    }
    const { valid } = result;
    const known = byId.get(valid[idField]);
    if (known === undefined) byId.set(valid[idField], { valid, versions: [each] });
    else if (!isDeepStrictEqual(known.valid, valid)) known.versions.push(each);
    const isUnread = (name: string) =>
      ((each as Record<string, unknown>)[name] ?? null) !== null && valid[name as IdField] === null;
    if (countFields.some(isUnread)) unreadableCounts++;
  }
  const records: T[] = [];
  for (const [id, { valid, versions }] of byId) {
    if (versions.length === 1) records.push(toRecord(valid));
    else for (const each of versions) reject(each, 'the same id with differing values', id);
  }
  return {
    records,
    rejects,
    rejectCount,
    ...(unreadableCounts > 0 && { unreadableCounts: unreadableCounts }),
  };
}

function parseOne<Raw>(
  raw: unknown,
  schema: ZodType<Raw>,
): { readonly valid: Raw } | { readonly reason: string } {
  const reason = unstorable(raw);
  if (reason !== null) return { reason };
  const { success, data, error } = schema.safeParse(raw);
  if (success) return { valid: data };
  const issues = error.issues.map(({ path, message }) => `${path.join('.') || 'record'}: ${message}`);
  return { reason: issues.join('; ') };
}

/** Far more than a summary needs, in bytes of JSON. */
const maxRecordBytes = 65_536;

/** Far more than a summary needs. The stack and jsonb both limit the depth. */
const maxDepth = 100;

/**
 * Returns why Postgres can't or shouldn't hold a record, for example U+0000, a lone surrogate or its size; null if it
 * can.
 */
function unstorable(record: unknown): string | null {
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

  const reason = reasonOf(record, maxDepth);
  // A character takes six bytes at most (`\u0000`), a number thirty.
  if (reason !== null || characters * 6 <= maxRecordBytes) return reason;
  return Buffer.byteLength(JSON.stringify(record)) > maxRecordBytes ? 'larger than 64 KB' : null;
}

/** Returns the id of a record that may be invalid; null if the id is invalid. */
function idOf(raw: unknown, field: string): number | null {
  return natural.safeParse((raw as Record<string, unknown> | null)?.[field]).data ?? null;
}

/** Returns JSON, which escapes what Postgres can't store. Cuts a large record: the archive has all of it. */
function payloadOf(raw: unknown): string {
  try {
    return JSON.stringify(raw).slice(0, maxRecordBytes);
  } catch {
    return '(nested too deep for JSON)';
  }
}
