import type { ServiceResponse } from '../../model/records.ts';
import { readCount } from './count.ts';

/** The shape of an operation's answer. */
export type AnswerShape = {
  readonly operation: ServiceResponse['operation'];
  readonly list: 'data' | 'result';
  /** The id of a record. */
  readonly id: 'clientid' | 'callsetid';
  /** The count fields of its envelope. */
  readonly counts: readonly string[];
};

/** The list of an answer: the value that is it, and its records. */
export type List = { readonly value: unknown; readonly rows: readonly unknown[] };

/** Far deeper than any envelope. */
const maxDepth = 20;

/**
 * Finds the list of an answer: the documented array, or what can only mean it (docs/service-assumptions.md). An empty documented array is it,
 * whatever stands next to it. Null if there is none.
 */
export function findList(json: unknown, { list, id, counts }: AnswerShape): List | null {
  const own = isObject(json) ? json[list] : undefined;
  const hasId = (value: unknown) => isObject(value) && value[id] !== undefined;
  if (Array.isArray(own) && (own.length === 0 || own.some(hasId))) return { value: own, rows: own };
  // Some write a list of one as its record, and others a list as an object.
  if (hasId(own)) return { value: own, rows: [own] };
  const values = isObject(own) ? Object.values(own) : [];
  if (values.every(isObject) && values.some(hasId)) return { value: own, rows: values };
  const [only, ...others] = listsIn(json, hasId, maxDepth);
  if (only !== undefined && others.length === 0) return { value: only, rows: only };
  if (Array.isArray(own) && own.some(isObject)) return { value: own, rows: own };
  const isNothing = (own ?? '') === '' || (isObject(own) && values.length === 0);
  const numbers = isObject(json) ? counts.flatMap((name) => readCount(json[name]) ?? []) : [];
  const saysNone = numbers.length > 0 && numbers.every((each) => each === 0);
  return isNothing && saysNone ? { value: own, rows: [] } : null;
}

function* listsIn(
  value: unknown,
  hasId: (each: unknown) => boolean,
  depth: number,
): Generator<readonly unknown[], void> {
  if (Array.isArray(value)) {
    if (value.some(hasId)) yield value;
  } else if (isObject(value) && depth > 0) {
    for (const each of Object.values(value)) yield* listsIn(each, hasId, depth - 1);
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
