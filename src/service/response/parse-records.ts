import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Reading, Reject } from '../../model/records.ts';

/**
 * Parses the records of a response one by one: an invalid record goes to the rejects with its reason, its neighbours
 * load. Of the same id twice, identical records are one; differing ones all go to the rejects.
 */
export function parseRecords<T>(
  raw: readonly unknown[],
  parse: (record: unknown) => T,
  idOf: (record: T) => number,
  idField: string,
): Omit<Reading<T>, 'remarks'> {
  const unique = new Map<number, { readonly record: T; readonly raw: unknown }>();
  const differing = new Map<number, unknown[]>();
  const rejects: Reject[] = [];
  for (const each of raw) {
    const result = parseOne(parse, each);
    if ('reason' in result) {
      rejects.push({
        payload: payloadOf(each),
        reason: result.reason,
        id: rawId(each, idField),
      });
      continue;
    }
    const id = idOf(result.record);
    const known = unique.get(id);
    if (known === undefined) unique.set(id, { record: result.record, raw: each });
    else if (!isDeepStrictEqual(known.raw, each))
      differing.set(id, [...(differing.get(id) ?? [known.raw]), each]);
  }
  for (const [id, versions] of differing) {
    unique.delete(id);
    const reason = 'the same id with differing values';
    rejects.push(
      ...versions.map((each) => ({
        payload: payloadOf(each),
        reason,
        id,
      })),
    );
  }
  return { records: [...unique.values()].map(({ record }) => record), rejects };
}

function parseOne<T>(
  parse: (record: unknown) => T,
  raw: unknown,
): { readonly record: T } | { readonly reason: string } {
  try {
    const reason = unstorable(raw, maxDepth);
    return reason === null ? { record: parse(raw) } : { reason };
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const issues = error.issues.map((issue) => `${issue.path.join('.') || 'record'}: ${issue.message}`);
    return { reason: issues.join('; ') };
  }
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

/** The record as JSON text, in which every character can be stored. */
function payloadOf(raw: unknown): string {
  try {
    return JSON.stringify(raw);
  } catch {
    return '(nested too deep for JSON)';
  }
}

function rawId(raw: unknown, field: string): number | null {
  if (typeof raw !== 'object' || raw === null) return null;
  const id = (raw as Record<string, unknown>)[field];
  const number =
    typeof id === 'number' ? id : typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : Number.NaN;
  return Number.isSafeInteger(number) && number >= 0 ? number : null;
}
