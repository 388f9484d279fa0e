import { isDeepStrictEqual } from 'node:util';
import { type ZodType, z } from 'zod';
import type { Extra, Json, Reading, Reject } from '../../model/records.ts';

const notNatural = 'not a whole number from 0 to 2^53 - 1';
const safeNatural = z.int(notNatural).nonnegative(notNatural);
const naturalText = z
  .string()
  .trim()
  .regex(/^-?\d+$/)
  .transform(Number)
  .pipe(safeNatural);

/** An id or a count: a number, or the text of one. */
export const natural = z.union([safeNatural, naturalText], notNatural);

/**
 * Parses the records of a response one by one: an invalid record goes to the rejects with its reason, its neighbours
 * load. Of the same id twice, identical records are one; differing ones all go to the rejects.
 *
 * @param idField the service's name of the id, which the schema requires
 */
export function parseRecords<T extends WithExtra>(
  raw: readonly unknown[],
  schema: ZodType<T>,
  idField: string,
): Omit<Reading<T>, 'remarks'> {
  const byId = new Map<number, { readonly record: T; readonly versions: unknown[] }>();
  const rejects: Reject[] = [];
  for (const each of raw) {
    const id = idOf(each, idField);
    const result = parseOne(each, schema);
    if ('reason' in result) {
      rejects.push(rejectOf(each, result.reason, id));
      continue;
    }
    const known = byId.get(id!);
    if (known === undefined) byId.set(id!, { record: result.record, versions: [each] });
    else if (!isDeepStrictEqual(known.versions[0], each)) known.versions.push(each);
  }
  const records: T[] = [];
  for (const [id, { record, versions }] of byId) {
    if (versions.length === 1) records.push(record);
    else for (const each of versions) rejects.push(rejectOf(each, 'the same id with differing values', id));
  }
  return { records, rejects };
}

type WithExtra = { readonly extra: Extra };

function parseOne<T extends WithExtra>(
  raw: unknown,
  schema: ZodType<T>,
): { readonly record: T } | { readonly reason: string } {
  const reason = unstorable(raw, maxDepth);
  if (reason !== null) return { reason };
  const { success, data, error } = schema.safeParse(raw);
  if (success) return { record: withProtoKey(data, raw as object) };
  const issues = error.issues.map(({ path, message }) => `${path.join('.') || 'record'}: ${message}`);
  return { reason: issues.join('; ') };
}

/** zod drops a field `__proto__`, which JSON may have like any other. */
function withProtoKey<T extends WithExtra>(record: T, raw: object): T {
  const value = Object.getOwnPropertyDescriptor(raw, '__proto__')?.value as Json | undefined;
  if (value === undefined) return record;
  // Not by assignment, which would set the prototype.
  const extra = Object.fromEntries([...Object.entries(record.extra), ['__proto__', value]]);
  return { ...record, extra };
}

/** Far more than a summary needs; neither the stack nor jsonb holds any depth. */
const maxDepth = 100;

/** Why Postgres can't hold a value: it takes neither U+0000 nor lone surrogates. Null where it can. */
function unstorable(value: unknown, depth: number): string | null {
  if (typeof value === 'string') {
    if (value.includes('\0')) return 'a text with U+0000 in it';
    return value.isWellFormed() ? null : 'a text with a lone surrogate in it';
  }
  if (typeof value !== 'object' || value === null) return null;
  if (depth === 0) return `nested deeper than ${maxDepth} levels`;
  // Parsed JSON inherits nothing, and `Object.entries` would make three objects for each field of each record.
  for (const key in value) {
    const reason = unstorable(key, depth) ?? unstorable((value as Record<string, unknown>)[key], depth - 1);
    if (reason !== null) return reason;
  }
  return null;
}

/** The id of a record that may be invalid; null where it is no id. */
function idOf(raw: unknown, field: string): number | null {
  return natural.safeParse((raw as Record<string, unknown> | null)?.[field]).data ?? null;
}

/** The payload is JSON text, in which every character can be stored. */
function rejectOf(raw: unknown, reason: string, id: number | null): Reject {
  try {
    return { payload: JSON.stringify(raw), reason, id };
  } catch {
    return { payload: '(nested too deep for JSON)', reason, id };
  }
}
