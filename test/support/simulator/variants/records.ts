import {
  changing,
  type JsonObject,
  type Middleware,
  type Next,
  type ServiceRequest,
} from '../../../../src/simulator/middleware.ts';
import { campaignSummary, numberIn, withParameter } from '../middleware.ts';
import { hostileKinds, hostileName } from './hostile.ts';

/** The first id of the records that `hostile-records` inserts, if their id is valid. */
export const FIRST_HOSTILE_ID = 9_000_000_000;

const MAX_HOSTILE = 3;

/**
 * Variants of the records and of the counts in an envelope. The document doesn't define the counts, a name is any
 * "string", and records may contradict the document (service.md 2). `hostile-records` doesn't touch the data set's own
 * records: those below FIRST_HOSTILE_ID must all be loaded.
 */
export function recordVariants() {
  return {
    /** `clients` are those of the page, `results` all, `count` the pages; `reports` is 1, `campaigns` those of a month. */
    'counts-other': changing(withOtherCounts),
    /** Up to 3 records in a response, one for 4 good ones at most, are malformed; others on each page and day. */
    'hostile-records': lists(insertHostile),
    /** Two of three records in a response have no id. */
    'mostly-unreadable': lists((list) =>
      list.map((record, index) => (index % 3 === 2 ? record : { ...record, [idFieldOf(record)]: null })),
    ),
    /** Three of four names are hard on databases, CSV, HTML, mail and terminals; one of eight is no valid text. */
    'hostile-text': lists((list) => list.map(withHostileName)),
    'attempts-null': lists((list) =>
      list.map((record) => ('attempts' in record ? { ...record, attempts: null } : record)),
    ),
    /** Every other campaign is left out, while `campaigns` and `reports` count all. */
    'rows-cut': campaignSummary(
      changing((envelope) => ({
        ...envelope,
        result: (envelope.result as readonly unknown[]).filter((_, index) => index % 2 === 0),
      })),
    ),
    /** No bigint holds the sum of the counts. */
    'counts-huge': campaignSummary(changing(withHuge)),
  } satisfies Record<string, Middleware>;
}

/** With so many counts of 2^53 - 1, a sum exceeds Postgres' bigint. */
const HUGE_CAMPAIGNS = 1_025;

function withHuge(envelope: JsonObject): JsonObject {
  const count = Number.MAX_SAFE_INTEGER;
  const huge = Array.from({ length: HUGE_CAMPAIGNS }, (_, index) => ({
    callsetid: FIRST_HOSTILE_ID + index,
    campaign: `Huge ${index}`,
    attempts: count,
    busies: count,
    connects: count,
    liveanswers: count,
  }));
  const result = [...(envelope.result as readonly unknown[]), ...huge];
  return { ...envelope, campaigns: result.length, reports: result.length, result };
}

function lists(
  change: (list: readonly JsonObject[], params: URLSearchParams) => readonly unknown[],
): Middleware {
  return changing((envelope, { params }) => {
    const name = 'data' in envelope ? 'data' : 'result';
    return { ...envelope, [name]: change(envelope[name] as readonly JsonObject[], params) };
  });
}

function idFieldOf(record: JsonObject): 'clientid' | 'callsetid' {
  return 'clientid' in record ? 'clientid' : 'callsetid';
}

async function withOtherCounts(envelope: JsonObject, request: ServiceRequest, next: Next) {
  if (request.operation === 'getClients') {
    return {
      ...envelope,
      clients: envelope.count,
      results: envelope.clients,
      count: envelope.pages,
    };
  }
  const [month, day, year] = (request.params.get('startdate') ?? '').split('-');
  const earlier = Temporal.PlainDate.from(`${year}-${month}-${day}`).subtract({ days: 30 });
  const startdate = earlier.toString().replace(/^(\d+)-(.+)$/, '$2-$1');
  const longer = await next(withParameter(request, 'startdate', startdate));
  return { ...envelope, campaigns: longer.envelope?.campaigns, reports: 1 };
}

/** Inserts malformed records; the page or the day decides which kinds. */
function insertHostile(list: readonly JsonObject[], params: URLSearchParams): unknown[] {
  const [first = {}] = list;
  const kinds = hostileKinds(idFieldOf(first));
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

function withHostileName(record: JsonObject): JsonObject {
  const field = idFieldOf(record);
  const name = field === 'clientid' ? 'clientname' : 'campaign';
  return { ...record, [name]: hostileName(Number(record[field]), String(record[name])) };
}
