import { z } from 'zod';
import {
  type CampaignRecord,
  type ClientRecord,
  countNames,
  type Extra,
  maxRejects,
  type Reading,
  type SummaryEnvelope,
  totalReason,
} from '../../model/records.ts';
import { takeBalance } from './balance.ts';
import { readCount } from './count.ts';
import { natural, parseRecords, safeNatural } from './parse-records.ts';

/*
 * The responses of the two operations (service.md 2), from JSON to the model, for requests and replay
 * alike. Numbers sent as text are accepted. Fields that the document doesn't show go to `extra`. An
 * envelope is valid or invalid as a whole; its records are parsed one by one.
 */

/** A count of a campaign: an unreadable count becomes null, and the record still loads. Numbers, nearly all, are read without a function. */
const count = z.union([safeNatural, z.unknown().transform(readCount)]).default(null);
const text = z
  .union([z.string(), z.number().transform(String)], 'not text')
  .nullable()
  .default(null);

/** The largest `PAGE_LIMIT`, and a hundred times the campaigns of a large account on one day. */
const maxRecords = 100_000;

const rows = z.array(z.unknown()).max(maxRecords, `more than ${maxRecords} records`);

/** A number in the envelope is only a hint about paging: the response is valid even if the number isn't. */
const hint = count;
/** NaN for what is no number. An object may have no text, either. */
const numberOf = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
    ? Number(value)
    : Number.NaN;

/** Two and a half pages are three. */
const pageCount = z
  .preprocess((value) => Math.ceil(numberOf(value)), natural)
  .nullable()
  .catch(null);

/** An object of the envelope with `list` as a list, if what stands there can only mean one (design, *A good response*). */
function withList(list: 'data' | 'result', counts: readonly string[], idField: string) {
  return (json: unknown): unknown => {
    if (!isObject(json) || Array.isArray(json[list])) return json;
    const value = json[list];
    const values = isObject(value) ? Object.values(value) : [];
    if (value === undefined || value === null || value === '' || (isObject(value) && values.length === 0)) {
      const numbers = counts.map((name) => numberOf(json[name])).filter((each) => !Number.isNaN(each));
      return numbers.length > 0 && numbers.every((each) => each === 0) ? { ...json, [list]: [] } : json;
    }
    // Some write a list of one as its record, and others a list as an object.
    if (isObject(value) && value[idField] !== undefined) return { ...json, [list]: [value] };
    return values.length > 0 && values.every(isObject) ? { ...json, [list]: values } : json;
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const clientRow = z.compile(
  z.looseObject({
    clientid: natural,
    clientname: text,
    checksum: text,
  }),
);

const campaignRow = z.compile(
  z.looseObject({
    callsetid: natural,
    campaign: text,
    attempts: count,
    busies: count,
    connects: count,
    liveanswers: count,
  }),
);

/** A page of clients, and the paging in its envelope; null if it isn't reported. */
export type ClientList = Reading<ClientRecord> & {
  readonly page: number | null;
  readonly pages: number | null;
  readonly limit: number | null;
  /** Records as received, including invalid and repeated ones. */
  readonly rows: number;
  /** The count fields that are numbers. The document doesn't show their meaning. */
  readonly counts: { readonly [name: string]: number };
};

/** Client list (service.md 2.2); `balanceField` names the field that carries the balance, if known. */
export function clientListSchema(balanceField: string | null): z.ZodType<ClientList> {
  const envelope = z
    .object({
      page: hint,
      pages: pageCount,
      limit: hint,
      clients: hint,
      results: hint,
      count: hint,
      data: rows,
    })
    .transform(({ page, pages, limit, data, ...counts }) => ({
      page,
      pages,
      limit,
      rows: data.length,
      counts: numbersOf(counts),
      ...parseClients(data, balanceField),
    }));
  return z.preprocess(withList('data', ['clients', 'results', 'count'], 'clientid'), envelope);
}

/** The campaigns of a response, and the counts in its envelope. */
export type CampaignList = Reading<CampaignRecord> & Pick<SummaryEnvelope, 'rows' | 'counts'>;

/** Campaign summary (service.md 2.3). */
export const campaignSummarySchema: z.ZodType<CampaignList> = z.preprocess(
  withList('result', ['campaigns', 'reports'], 'callsetid'),
  z.object({ campaigns: hint, reports: hint, result: rows }).transform(({ result, ...counts }) => ({
    rows: result.length,
    counts: numbersOf(counts),
    ...withoutTotal(parseRecords(result, campaignRow, 'callsetid', toCampaign, countFields)),
    remarks: [],
  })),
);

const countFields = ['attempts', 'busies', 'connects', 'liveanswers'] as const;

/** Rejects a record whose counts are the sums of all other records, if there are at least three others. */
function withoutTotal<Read extends Omit<Reading<CampaignRecord>, 'remarks'>>(read: Read): Read {
  const { records, rejects, rejectCount } = read;
  const sums = countNames.map((name) => records.reduce((sum, record) => sum + BigInt(record[name] ?? 0), 0n));
  const total = records.find(
    (record) =>
      (record.attempts ?? 0) > 0 &&
      countNames.every((name, index) => BigInt(record[name] ?? 0) * 2n === sums[index]),
  );
  if (total === undefined || records.length < 4) return read;
  const { extra, ...own } = total;
  const reject = {
    payload: JSON.stringify({ ...own, ...extra }),
    reason: totalReason,
    id: total.callsetId,
    isTotal: true,
  } as const;
  return {
    ...read,
    records: records.filter((record) => record !== total),
    rejects: [reject, ...rejects].slice(0, maxRejects),
    rejectCount: rejectCount + 1,
  };
}

function toCampaign({
  callsetid,
  campaign,
  attempts,
  busies,
  connects,
  liveanswers,
  ...extra
}: z.infer<typeof campaignRow>): CampaignRecord {
  return {
    callsetId: callsetid,
    campaign,
    attempts,
    busies,
    connects,
    liveAnswers: liveanswers,
    extra: extra as Extra,
  };
}

/** Remarks kept of a page. */
const maxRemarks = 5;

function parseClients(data: readonly unknown[], balanceField: string | null): Reading<ClientRecord> {
  const remarks = new Set<string>();
  const toClient = ({ clientid, clientname, checksum, ...rest }: z.infer<typeof clientRow>): ClientRecord => {
    const { balance, extra, remark } = takeBalance(rest as Extra, balanceField);
    // If each record had its own field names, each would cost a line of the log.
    if (remark !== null && remarks.size < maxRemarks) remarks.add(remark);
    return {
      clientId: clientid,
      name: clientname,
      checksum,
      balance,
      extra,
    };
  };
  return { ...parseRecords(data, clientRow, 'clientid', toClient), remarks: [...remarks] };
}

function numbersOf(counts: { readonly [name: string]: number | null }): ClientList['counts'] {
  const numbers = Object.entries(counts).filter(([, value]) => value !== null);
  return Object.fromEntries(numbers) as ClientList['counts'];
}
