import {
  type AnyRecord,
  changing,
  changingRecords,
  type Envelope,
  type Middleware,
  numberIn,
  type ServiceRequest,
  without,
  withParameter,
} from '../middleware.ts';
import type { Variant } from '../variant.ts';
import { exactNumber, hostileKinds, hostileName } from './hostile.ts';

/** Here begin the ids of the records that `hostile-records` inserts, where these have a valid one. */
export const FIRST_HOSTILE_ID = 9_000_000_000;

const MAX_HOSTILE = 3;

/**
 * The records and the counts beside them: what each count of an envelope means isn't shown, a name is any "string", and
 * records may break what the document says of them (service.md 2). `hostile-records` leaves the data set's own records
 * alone: whatever is loaded below FIRST_HOSTILE_ID must be the data set, whole.
 */
export const recordVariants = {
  'numbers-as-text': {
    does: 'every number of envelopes and records is sent as text',
    create: () => changing(asText),
  },
  'counts-missing': {
    does: 'no clients, results, count, campaigns and reports in the responses',
    create: () =>
      changing((envelope) => without(envelope, 'clients', 'results', 'count', 'campaigns', 'reports')),
  },
  'counts-other': {
    does: 'clients are those of the page, results all, count the pages; reports is 1, campaigns those of a month',
    create: () => otherCounts,
  },
  'hostile-records': {
    does: 'up to 3 records in a response, one for 4 good ones at most, are malformed; others on each page and day',
    create: () => changingRecords(insertHostile),
  },
  'mostly-unreadable': {
    does: 'two of three records in a response have null for an id',
    create: () =>
      changingRecords((records) =>
        records.map((record, index) => (index % 3 === 2 ? record : { ...record, [idFieldOf(record)]: null })),
      ),
  },
  'hostile-text': {
    does: 'three of four names are hard on databases, CSV, HTML, mail and terminals; one of eight is no valid text',
    create: () => changingRecords((records) => records.map(withHostileName)),
  },
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
  'counts-null': {
    does: 'some counts are null or absent: by callsetid modulo 4, attempts and busies null (0), liveanswers absent (1)',
    create: () => changingRecords((records) => records.map(withGaps)),
  },
  'extra-nested': {
    does: 'records have further fields: objects, lists, null, and numbers that a double would round',
    create: () => changingRecords((records) => records.map((record) => ({ ...record, ...EXTRA }))),
  },
} satisfies Record<string, Variant>;

const EXTRA = {
  settings: { retries: { most: 3, days: ['mon', 'tue'] }, callerid: null },
  history: [[1, [2, []]], {}],
  dialled: exactNumber('12345678901234567890'),
  ratio: exactNumber('0.12345678901234567890123'),
  active: true,
};

function idFieldOf(record: AnyRecord): 'clientid' | 'callsetid' {
  return 'clientid' in record ? 'clientid' : 'callsetid';
}

/** Of the numbers of the envelope and of its records; what is nested in a field stays. */
function asText(object: AnyRecord): AnyRecord {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => {
      if (typeof value === 'number') return [name, String(value)];
      if (!['data', 'result'].includes(name) || !Array.isArray(value)) return [name, value];
      return [name, value.map((record) => (isRecord(record) ? asText(record) : record))];
    }),
  );
}

function isRecord(value: unknown): value is AnyRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const otherCounts: Middleware = async (request, next) => {
  const due = await next();
  if (!due.envelope) return due;
  return { ...due, envelope: { ...due.envelope, ...(await countsOf(due.envelope, request, next)) } };
};

async function countsOf(
  { clients, count, pages }: Envelope,
  request: ServiceRequest,
  next: Parameters<Middleware>[1],
): Promise<Envelope> {
  if (request.operation === 'getClients') return { clients: count, results: clients, count: pages };
  const month = await next(fromMonthBefore(request));
  return { campaigns: month.envelope?.campaigns, reports: 1 };
}

/** The same request with its startdate 30 days earlier. */
function fromMonthBefore(request: ServiceRequest): ServiceRequest {
  const [month, day, year] = (request.params.get('startdate') ?? '').split('-');
  const earlier = Temporal.PlainDate.from(`${year}-${month}-${day}`).subtract({ days: 30 });
  return withParameter(request, 'startdate', earlier.toString().replace(/^(\d+)-(.+)$/, '$2-$1'));
}

/** The kinds take turns by the page or the day. */
function insertHostile(records: readonly AnyRecord[], params: URLSearchParams): unknown[] {
  const [first = {}] = records;
  const field = idFieldOf(first);
  const kinds = hostileKinds(field);
  const turn = numberIn(params, 'page') ?? Number(params.get('startdate')?.slice(3, 5) ?? 1);
  const mixed: unknown[] = [...records];
  const count = Math.min(MAX_HOSTILE, Math.floor(records.length / 4));
  for (let index = 0; index < count; index += 1) {
    const number = (turn * MAX_HOSTILE + index) % kinds.length;
    const place = Math.floor(((index + 0.5) * records.length) / count);
    const freeId = FIRST_HOSTILE_ID + turn * kinds.length + number;
    mixed.splice(place, 0, ...(kinds[number]?.(first, freeId) ?? []));
  }
  return mixed;
}

function withHostileName(record: AnyRecord): AnyRecord {
  const field = idFieldOf(record);
  const name = field === 'clientid' ? 'clientname' : 'campaign';
  return { ...record, [name]: hostileName(Number(record[field]), String(record[name])) };
}

/** Replaces the balance of the records that have one. */
function balance(does: string, fields: (amount: string) => AnyRecord): Variant {
  const change = (record: AnyRecord): AnyRecord =>
    typeof record.balance === 'string'
      ? { ...without(record, 'balance'), ...fields(record.balance) }
      : record;
  return { does, create: () => changingRecords((records) => records.map(change)) };
}

/** By the id, so that a campaign has the same gaps in every response. */
function withGaps(record: AnyRecord): AnyRecord {
  const kind = Number(record.callsetid) % 4;
  if (kind === 0) return { ...record, attempts: null, busies: null };
  return kind === 1 ? without(record, 'liveanswers') : record;
}
