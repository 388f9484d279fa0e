import { changing, type JsonObject, type Middleware } from '../../../../src/simulator/middleware.ts';
import { numberIn } from '../middleware.ts';
import { hostileKinds } from './hostile.ts';

/** The first id of the records that `hostile-records` inserts, if their id is valid. */
const FIRST_HOSTILE_ID = 9_000_000_000;

const MAX_HOSTILE = 3;

/**
 * Variants of the records and of the counts in an envelope. The document doesn't define the counts, a name is any
 * "string", and records may contradict the document. `hostile-records` doesn't touch the data set's own
 * records: those below FIRST_HOSTILE_ID must all be loaded.
 */
export function recordVariants() {
  return {
    /** Up to 3 records in a response, one for 4 good ones at most, are malformed; others on each page and day. */
    'hostile-records': changing((envelope, { params }) => {
      const name = 'data' in envelope ? 'data' : 'result';
      return { ...envelope, [name]: insertHostile(envelope[name] as readonly JsonObject[], params) };
    }),
  } satisfies Record<string, Middleware>;
}

/** Inserts malformed records; the page or the day decides which kinds. */
function insertHostile(list: readonly JsonObject[], params: URLSearchParams): unknown[] {
  const [first = {}] = list;
  const kinds = hostileKinds('clientid' in first ? 'clientid' : 'callsetid');
  const round = numberIn(params, 'page') ?? Number(params.get('startdate')?.slice(3, 5) ?? 1);
  const mixed: unknown[] = [...list];
  const count = Math.min(MAX_HOSTILE, Math.floor(list.length / 4));
  for (let index = 0; index < count; index += 1) {
    const number = (round * MAX_HOSTILE + index) % kinds.length;
    const place = Math.floor(((index + 0.5) * list.length) / count);
    const freeId = FIRST_HOSTILE_ID + round * kinds.length + number;
    for (const each of (kinds[number]?.(first, freeId) ?? []).toReversed()) mixed.splice(place, 0, each);
  }
  return mixed;
}
