import { z } from 'zod';
import type { CampaignRecord, ClientRecord, Extra, Reading, SummaryEnvelope } from '../../model/records.ts';
import { takeBalance } from './balance.ts';
import { natural, parseRecords } from './parse-records.ts';

/*
 * The responses of the two operations (service.md 2), from JSON to the model, for requests and replay alike. Numbers
 * sent as text are accepted; fields that the document doesn't show go to `extra`. An envelope has to fit as a whole; of
 * its records, each is parsed by itself.
 */

const count = natural.nullable().default(null);
const text = z
  .union([z.string(), z.number().transform(String)], 'not text')
  .nullable()
  .default(null);

/** As many as the largest `PAGE_LIMIT`, and a hundred times the campaigns of a large account on one day. */
const maxRecords = 100_000;

const rows = z.array(z.unknown()).max(maxRecords, `more than ${maxRecords} records`);

/** A number of an envelope is a hint about paging: an invalid one doesn't invalidate the response. */
const hint = count.catch(null);

const client = z.looseObject({
  clientid: natural,
  clientname: text,
  checksum: text,
});

const campaign = z
  .looseObject({
    callsetid: natural,
    campaign: text,
    attempts: count,
    busies: count,
    connects: count,
    liveanswers: count,
  })
  .transform(
    ({ callsetid, campaign, attempts, busies, connects, liveanswers, ...extra }): CampaignRecord => ({
      callsetId: callsetid,
      campaign,
      attempts,
      busies,
      connects,
      liveAnswers: liveanswers,
      extra: extra as Extra,
    }),
  );

/** A page of clients, and what its envelope says of paging; null where it says nothing. */
export type ClientList = Reading<ClientRecord> & {
  readonly page: number | null;
  readonly pages: number | null;
  readonly limit: number | null;
  /** Records as received, invalid and repeated ones included. */
  readonly rows: number;
  /** The count fields that are numbers; their meaning isn't shown. */
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

/** The campaigns of a response, and what its envelope says of their number. */
export type CampaignList = Reading<CampaignRecord> & Omit<SummaryEnvelope, 'notice'>;

/** Campaign summary (service.md 2.3). */
export const campaignSummarySchema: z.ZodType<CampaignList> = z
  .object({ campaigns: hint, reports: hint, result: rows })
  .transform(({ result, ...counts }) => ({
    rows: result.length,
    counts: numbersOf(counts),
    ...parseRecords(result, campaign, 'callsetid'),
    remarks: [],
  }));

/** Remarks on a page. */
const maxRemarks = 5;

function parseClients(data: readonly unknown[], balanceField: string | null): Reading<ClientRecord> {
  const remarks = new Set<string>();
  const schema = client.transform(({ clientid, clientname, checksum, ...rest }): ClientRecord => {
    const { balance, extra, remark } = takeBalance(rest as Extra, balanceField);
    // Of names that the service chooses for each record, it would be as many lines of the log.
    if (remark !== null && remarks.size < maxRemarks) remarks.add(remark);
    return {
      clientId: clientid,
      name: clientname,
      checksum,
      balance,
      extra,
    };
  });
  return { ...parseRecords(data, schema, 'clientid'), remarks: [...remarks] };
}

function numbersOf(counts: { readonly [name: string]: number | null }): ClientList['counts'] {
  const numbers = Object.entries(counts).filter(([, value]) => value !== null);
  return Object.fromEntries(numbers) as ClientList['counts'];
}
