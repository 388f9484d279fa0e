import { z } from 'zod';
import type { CampaignRecord, ClientRecord, Extra, Reading, SummaryEnvelope } from '../../model/records.ts';
import { takeBalance } from './balance.ts';
import { natural, parseRecords } from './parse-records.ts';

/*
 * The responses of the two operations (service.md 2), from JSON to the model, for requests and replay
 * alike. Numbers sent as text are accepted. Fields that the document doesn't show go to `extra`. An
 * envelope is valid or invalid as a whole; its records are parsed one by one.
 */

const count = natural.nullable().default(null);
const text = z
  .union([z.string(), z.number().transform(String)], 'not text')
  .nullable()
  .default(null);

/** The largest `PAGE_LIMIT`, and a hundred times the campaigns of a large account on one day. */
const maxRecords = 100_000;

const rows = z.array(z.unknown()).max(maxRecords, `more than ${maxRecords} records`);

/** A number in the envelope is only a hint about paging: the response is valid even if the number isn't. */
const hint = count.catch(null);

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
  return z
    .object({
      page: hint,
      pages: hint,
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
}

/** The campaigns of a response, and the counts in its envelope. */
export type CampaignList = Reading<CampaignRecord> & Omit<SummaryEnvelope, 'notice'>;

/** Campaign summary (service.md 2.3). */
export const campaignSummarySchema: z.ZodType<CampaignList> = z
  .object({ campaigns: hint, reports: hint, result: rows })
  .transform(({ result, ...counts }) => ({
    rows: result.length,
    counts: numbersOf(counts),
    ...parseRecords(result, campaignRow, 'callsetid', toCampaign),
    remarks: [],
  }));

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
