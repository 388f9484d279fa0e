import {
  changing,
  type JsonObject,
  type Next,
  type ServiceRequest,
} from '../../../../src/simulator/middleware.ts';
import { numberIn, type Variant, without, withParameter } from '../middleware.ts';
import { exactNumber, hostileKinds, hostileName } from './hostile.ts';

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
    'numbers-as-text': ['every number of envelopes and records is sent as text', changing(asText)],
    'counts-missing': [
      'no clients, results, count, campaigns and reports in the responses',
      changing((envelope) => without(envelope, 'clients', 'results', 'count', 'campaigns', 'reports')),
    ],
    'counts-other': [
      'clients are those of the page, results all, count the pages; reports is 1, campaigns those of a month',
      changing(withOtherCounts),
    ],
    'hostile-records': lists(
      'up to 3 records in a response, one for 4 good ones at most, are malformed; others on each page and day',
      insertHostile,
    ),
    'mostly-unreadable': lists('two of three records in a response have null for an id', (list) =>
      list.map((record, index) => (index % 3 === 2 ? record : { ...record, [idFieldOf(record)]: null })),
    ),
    'hostile-text': records(
      'three of four names are hard on databases, CSV, HTML, mail and terminals; one of eight is no valid text',
      withHostileName,
    ),
    'balance-number': balance('the balance is a number', (amount) => ({ balance: Number(amount) })),
    'balance-grouped': balance('the balance is text with groups, as in "1,234.50"', (amount) => ({
      balance: amount.replace(/\B(?=(\d{3})+\.)/g, ','),
    })),
    'balance-dollar': balance(
      'the balance is text with a dollar sign, as in "$1234.50", "-$3.20" and "$12"',
      (amount) => ({ balance: amount.replace(/^-?/, '$&$$').replace(/\.00$/, '') }),
    ),
    'balance-other-name': balance('the balance is a field named accountBalance', (amount) => ({
      accountBalance: amount,
    })),
    'balance-ambiguous': balance(
      'two fields name a balance: balance, and creditBalance which is always "5.00"',
      (amount) => ({ balance: amount, creditBalance: '5.00' }),
    ),
    'balance-unreadable': balance('the balance is always "n/a"', () => ({ balance: 'n/a' })),
    'balance-missing': balance('no record has a balance', () => ({})),
    'counts-null': records(
      'some counts are null or absent: by callsetid modulo 4, attempts and busies null (0), liveanswers absent (1)',
      withGaps,
    ),
    'attempts-null': records('every attempts is null', (record) =>
      'attempts' in record ? { ...record, attempts: null } : record,
    ),
    'attempts-renamed': records('attempts is called calls', ({ attempts, ...record }) =>
      attempts === undefined ? record : { ...record, calls: attempts },
    ),
    'rows-cut': [
      'every other campaign is left out of the result, while campaigns and reports count all',
      changing((envelope, { operation }) =>
        operation === 'campaignSummary'
          ? {
              ...envelope,
              result: (envelope.result as readonly unknown[]).filter((_, index) => index % 2 === 0),
            }
          : envelope,
      ),
    ],
    'counts-huge': [
      `${HUGE_CAMPAIGNS} further campaigns have 2^53 - 1 for each of their counts`,
      changing((envelope, { operation }) =>
        operation === 'campaignSummary' ? withHuge(envelope) : envelope,
      ),
    ],
    'extra-nested': records(
      'records have further fields: objects, lists, null, and numbers that a double would round',
      (record) => ({ ...record, ...EXTRA }),
    ),
  } satisfies Record<string, Variant>;
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

const EXTRA = {
  settings: { retries: { most: 3, days: ['mon', 'tue'] }, callerid: null },
  history: [[1, [2, []]], {}],
  dialled: exactNumber('12345678901234567890'),
  ratio: exactNumber('0.12345678901234567890123'),
  active: true,
};

function lists(
  does: string,
  change: (list: readonly JsonObject[], params: URLSearchParams) => readonly unknown[],
): Variant {
  const inject = changing((envelope, { params }) => {
    const name = 'data' in envelope ? 'data' : 'result';
    return { ...envelope, [name]: change(envelope[name] as readonly JsonObject[], params) };
  });
  return [does, inject];
}

function records(does: string, change: (record: JsonObject) => JsonObject): Variant {
  return lists(does, (list) => list.map(change));
}

function balance(does: string, fields: (amount: string) => JsonObject): Variant {
  return records(does, (record) =>
    typeof record.balance === 'string'
      ? { ...without(record, 'balance'), ...fields(record.balance) }
      : record,
  );
}

function idFieldOf(record: JsonObject): 'clientid' | 'callsetid' {
  return 'clientid' in record ? 'clientid' : 'callsetid';
}

/** Turns the numbers of an envelope and its records into text, but not those nested in fields. */
function asText(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => {
      if (typeof value === 'number') return [name, String(value)];
      if (!['data', 'result'].includes(name) || !Array.isArray(value)) return [name, value];
      return [name, value.map((record) => (isRecord(record) ? asText(record) : record))];
    }),
  );
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

/** Removes counts by id, so that a campaign lacks the same ones in every response. */
function withGaps(record: JsonObject): JsonObject {
  const kind = Number(record.callsetid) % 4;
  if (kind === 0) return { ...record, attempts: null, busies: null };
  return kind === 1 ? without(record, 'liveanswers') : record;
}
