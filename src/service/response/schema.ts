import { z } from 'zod';
import type { CampaignRecord, ClientRecord, Extra, Reading } from '../../model/records.ts';
import { takeBalance } from './balance.ts';
import { parseRecords } from './parse-records.ts';

/*
 * The responses of the two operations (service.md 2), from JSON to the model, for requests and replay alike. Numbers
 * sent as text are accepted; fields that the document doesn't show go to `extra`. An envelope has to fit as a whole; of
 * its records, each is parsed by itself.
 */

const notNatural = 'not a whole number from 0 to 2^53 - 1';
const safeNatural = z.int(notNatural).nonnegative(notNatural);
const naturalText = z
  .string()
  .trim()
  .regex(/^-?\d+$/)
  .transform(Number)
  .pipe(safeNatural);
const natural = z.union([safeNatural, naturalText], notNatural);
const count = natural.nullish();
const text = z.union([z.string(), z.number().transform(String)], 'not text').nullish();

/** A number of an envelope is a hint about paging: an invalid one doesn't invalidate the response. */
const hint = count.catch(null);

const client = z.looseObject({
  clientid: natural,
  clientname: text,
  checksum: text,
});

const campaign = z.looseObject({
  callsetid: natural,
  campaign: text,
  attempts: count,
  busies: count,
  connects: count,
  liveanswers: count,
});

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
  const envelope = z.object({
    page: hint,
    pages: hint,
    limit: hint,
    clients: hint,
    results: hint,
    count: hint,
    data: z.array(z.unknown()),
  });
  return envelope.transform(({ page, pages, limit, data, ...counts }) => ({
    page: page ?? null,
    pages: pages ?? null,
    limit: limit ?? null,
    rows: data.length,
    counts: numbersOf(counts),
    ...parseClients(data, balanceField),
  }));
}

/** Campaign summary (service.md 2.3). */
export const campaignSummarySchema: z.ZodType<Reading<CampaignRecord>> = z
  .object({ result: z.array(z.unknown()) })
  .transform(({ result }) => ({
    ...parseRecords(result, parseCampaign, (record) => record.callsetId, 'callsetid'),
    remarks: [],
  }));

function parseClients(data: readonly unknown[], balanceField: string | null): Reading<ClientRecord> {
  const remarks = new Set<string>();
  const parse = (raw: unknown): ClientRecord => {
    const { clientid, clientname, checksum, ...rest } = client.parse(raw);
    const { balance, extra, remark } = takeBalance(rest as Extra, balanceField);
    if (remark !== null) remarks.add(remark);
    return {
      clientId: clientid,
      name: clientname ?? null,
      checksum: checksum ?? null,
      balance,
      extra,
    };
  };
  const { records, rejects } = parseRecords(data, parse, (record) => record.clientId, 'clientid');
  return {
    records,
    rejects,
    remarks: [...remarks],
  };
}

function parseCampaign(raw: unknown): CampaignRecord {
  const { callsetid, campaign: name, attempts, busies, connects, liveanswers, ...rest } = campaign.parse(raw);
  return {
    callsetId: callsetid,
    campaign: name ?? null,
    attempts: attempts ?? null,
    busies: busies ?? null,
    connects: connects ?? null,
    liveAnswers: liveanswers ?? null,
    extra: rest as Extra,
  };
}

function numbersOf(counts: { readonly [name: string]: number | null | undefined }): ClientList['counts'] {
  const numbers = Object.entries(counts).filter(([, value]) => typeof value === 'number');
  return Object.fromEntries(numbers) as ClientList['counts'];
}
