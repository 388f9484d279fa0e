import { numberIn } from '../request.ts';
import {
  type AnswerHook,
  type AnyRecord,
  changingRecords,
  exactNumber,
  type VariantEntry,
  without,
} from '../variant.ts';

/**
 * Records that break what the document says of them (service.md 2.1, 2.4). `hostile-records` inserts its own and
 * leaves those of the data set alone; where its own have a valid id, that is FIRST_HOSTILE_ID or above and on one
 * page of the list only. So whatever is loaded below that id must be the data set, whole.
 */
export const hostileRecordVariants = {
  'hostile-records': {
    does: 'up to 3 records in an answer, and at most one for 4 good ones, are malformed; other ones on each page and day',
    make: () => ({ clients: inserting('clientid', pageOf), campaigns: inserting('callsetid', dayOf) }),
  },
  'mostly-unreadable': {
    does: 'two of three records in an answer have null for an id',
    make: () => ({ clients: spoiling('clientid'), campaigns: spoiling('callsetid') }),
  },
} satisfies Record<string, VariantEntry>;

export const FIRST_HOSTILE_ID = 9_000_000_000;

type IdField = 'clientid' | 'callsetid';

/** What to insert for a good record of the answer and a free id. */
type Kind = (good: AnyRecord, id: number, field: IdField) => readonly unknown[];

const DEPTH = 5_000;

const COMMON: readonly Kind[] = [
  (good, _, field) => [without(good, field)],
  (good, _, field) => [{ ...good, [field]: null }],
  (good, _, field) => [{ ...good, [field]: 'abc' }],
  (good, _, field) => [{ ...good, [field]: -7 }],
  (good, _, field) => [{ ...good, [field]: exactNumber('9007199254740993') }],
  () => ['a text'],
  () => [null],
  () => [[1, 2, 3]],
  (good) => [good],
  (good, id, field) => [
    { ...good, [field]: id, clientname: 'One name', campaign: 'One name' },
    { ...good, [field]: id, clientname: 'Another name', campaign: 'Another name' },
  ],
  (good, id, field) => [{ ...good, [field]: id, ['__proto__']: { polluted: true } }],
  (good, id, field) => [{ ...good, [field]: id, deep: nested() }],
];

const OF_CAMPAIGNS: readonly Kind[] = [
  ...COMMON,
  (good, id, field) => [{ ...good, [field]: id, attempts: -1 }],
  (good, id, field) => [{ ...good, [field]: id, busies: 1.5 }],
  (good, id, field) => [{ ...good, [field]: id, connects: exactNumber('9007199254740993') }],
  (good, id, field) => [{ ...good, [field]: id, liveanswers: 'many' }],
];

const MOST = 3;

/** `turn` is the page or the day: the kinds go round with it. */
function inserting(field: IdField, turnOf: (params: URLSearchParams) => number): AnswerHook {
  const kinds = field === 'clientid' ? COMMON : OF_CAMPAIGNS;
  return changingRecords((records, params) => {
    const turn = turnOf(params);
    const mixed: unknown[] = [...records];
    const count = Math.min(MOST, Math.floor(records.length / 4));
    for (let index = 0; index < count; index += 1) {
      const number = (turn * MOST + index) % kinds.length;
      const place = Math.floor(((index + 0.5) * records.length) / count);
      const bad =
        kinds[number]?.(records[0] ?? {}, FIRST_HOSTILE_ID + turn * kinds.length + number, field) ?? [];
      mixed.splice(place, 0, ...bad);
    }
    return mixed;
  });
}

function pageOf(params: URLSearchParams): number {
  return numberIn(params, 'page') ?? 1;
}

function dayOf(params: URLSearchParams): number {
  return Number(params.get('startdate')?.slice(3, 5));
}

function nested(): unknown {
  let value: unknown = 'the bottom';
  for (let depth = 0; depth < DEPTH; depth += 1) value = [value];
  return value;
}

function spoiling(field: IdField): AnswerHook {
  return changingRecords((records) =>
    records.map((record, index) => (index % 3 === 2 ? record : { ...record, [field]: null })),
  );
}
