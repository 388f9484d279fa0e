import { z } from 'zod';
import {
  type CampaignRecord,
  type ClientRecord,
  countNames,
  type Extra,
  type Reading,
  type SummaryEnvelope,
} from '../../model/records.ts';
import { takeBalance } from './balance.ts';
import { readCount } from './count.ts';
import type { AnswerShape } from './find-list.ts';
import { id, parseRecords, safeNatural } from './parse-records.ts';

/*
 * The responses of the two operations, from JSON to the model, for requests and replay alike. Numbers sent as text are
 * accepted. Fields that the document doesn't show go to `extra`. Records are parsed one by one.
 */

/** How an operation's answer is read: its shape, and its content once its list is found. */
export type AnswerSchema<T> = AnswerShape & {
  readonly read: (envelope: Readonly<Record<string, unknown>>, rows: readonly unknown[]) => T;
};

/** A count of a campaign: an unreadable count becomes null, and the record still loads. Numbers, nearly all, are read without a function. */
const count = z.union([safeNatural, z.unknown().transform(readCount)]).default(null);
/** A name that isn't a text becomes null. */
const text = z
  .union([z.string(), z.number().transform(String)])
  .nullable()
  .default(null)
  .catch(null);

/** Two and a half pages are three. */
const readPages = (value: unknown) =>
  readCount(value) ?? readCount(typeof value === 'number' || value ? Math.ceil(Number(value)) : value);

const clientRow = z.compile(
  z.looseObject({
    clientid: id,
    clientname: text,
    checksum: text,
  }),
);

const campaignRow = z.compile(
  z.looseObject({
    callsetid: id,
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
} & Pick<SummaryEnvelope, 'rows' | 'counts'>;

const clientCounts = ['clients', 'results', 'count'];

/** Client list; `balanceField` names the field that carries the balance, if known. */
export function clientListSchema(balanceField: string | null): AnswerSchema<ClientList> {
  return {
    operation: 'getClients',
    list: 'data',
    id: 'clientid',
    counts: clientCounts,
    read: (envelope, rows) => ({
      page: readCount(envelope.page),
      pages: readPages(envelope.pages),
      limit: readCount(envelope.limit),
      rows: rows.length,
      counts: readCounts(envelope, clientCounts),
      ...parseClients(rows, balanceField),
    }),
  };
}

/** The campaigns of a response, and the counts in its envelope. */
export type CampaignList = Reading<CampaignRecord> & Pick<SummaryEnvelope, 'rows' | 'counts'>;

/** The document shows the last two for pages of clients; next to campaigns, too, they announce how many there are. */
const summaryCounts = ['campaigns', 'reports', 'results', 'count'];

export const campaignSummarySchema: AnswerSchema<CampaignList> = {
  operation: 'campaignSummary',
  list: 'result',
  id: 'callsetid',
  counts: summaryCounts,
  read: (envelope, rows) => ({
    rows: rows.length,
    counts: readCounts(envelope, summaryCounts),
    ...parseRecords(
      rows,
      campaignRow,
      'callsetid',
      toCampaign,
      ['campaign'],
      countNames.map((name) => name.toLowerCase()),
    ),
  }),
};

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

/** Lines kept of a page. */
const maxLogged = 5;

function parseClients(data: readonly unknown[], balanceField: string | null): Reading<ClientRecord> {
  const remarks = new Set<string>();
  const toClient = ({ clientid, clientname, checksum, ...rest }: z.infer<typeof clientRow>): ClientRecord => {
    const { balance, extra, remark } = takeBalance(rest as Extra, balanceField);
    // If each record had its own field names, each would cost a line of the log.
    if (remark !== null && remarks.size < maxLogged) remarks.add(remark);
    return {
      clientId: clientid,
      name: clientname,
      checksum,
      balance,
      extra,
    };
  };
  const { logged, ...read } = parseRecords(data, clientRow, 'clientid', toClient, ['clientname', 'checksum']);
  return { ...read, logged: [...logged, ...remarks] };
}

function readCounts(
  envelope: Readonly<Record<string, unknown>>,
  names: readonly string[],
): SummaryEnvelope['counts'] {
  const numbers = names.map((name) => [name, readCount(envelope[name])] as const);
  return Object.fromEntries(numbers.filter((each): each is [string, number] => each[1] !== null));
}
