import { z } from 'zod';
import type { CampaignRecord, ClientRecord, Extra, Reading } from '../../model/records.ts';
import { takeBalance } from './balance.ts';
import { readRecords } from './read-records.ts';

/*
 * The wire's own words (service.md 2) and their way into the model. Numbers sent as text are read; fields that
 * the document doesn't show go to `extra`.
 */

const integer = z
  .union([
    z.number(),
    z
      .string()
      .trim()
      .regex(/^-?\d+$/, 'not a whole number')
      .transform(Number),
  ])
  .refine(Number.isSafeInteger, 'not a whole number within 2^53');
const natural = integer.refine((value) => value >= 0, 'negative');
const count = natural.nullish().transform((value) => value ?? null);
const text = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .transform((value) => value ?? null);

/** An envelope's number: a hint about paging, never worth failing an answer for. */
const hint = natural
  .nullish()
  .catch(null)
  .transform((value) => value ?? null);

/** Client list envelope (service.md 2.2). */
export const clientEnvelope = z.object({
  page: hint,
  pages: hint,
  limit: hint,
  clients: hint,
  results: hint,
  count: hint,
  data: z.array(z.unknown()),
});

/** Campaign summary envelope (service.md 2.3). */
export const summaryEnvelope = z.object({ result: z.array(z.unknown()) });

/*
 * Each record has two schemas: as the document shows it, and with everything that is read besides. Nearly all are as
 * shown, and reading those by the first alone makes a fifth of the garbage.
 */
const shownNumber = z.int().nonnegative();

const shownClient = z.looseObject({ clientid: shownNumber, clientname: z.string(), checksum: z.string() });
const anyClient = z.looseObject({ clientid: natural, clientname: text, checksum: text });

const shownCampaign = z.looseObject({
  callsetid: shownNumber,
  campaign: z.string(),
  attempts: shownNumber,
  busies: shownNumber,
  connects: shownNumber,
  liveanswers: shownNumber,
});
const anyCampaign = z.looseObject({
  callsetid: natural,
  campaign: text,
  attempts: count,
  busies: count,
  connects: count,
  liveanswers: count,
});

function parseClient(record: unknown): z.infer<typeof anyClient> {
  const shown = shownClient.safeParse(record);
  return shown.success ? shown.data : anyClient.parse(record);
}

function parseCampaign(record: unknown): z.infer<typeof anyCampaign> {
  const shown = shownCampaign.safeParse(record);
  return shown.success ? shown.data : anyCampaign.parse(record);
}

/** Reads client records (service.md 2.1); `balanceField` names the field that carries the balance, if known. */
export function readClients(data: readonly unknown[], balanceField: string | null): Reading<ClientRecord> {
  const remarks = new Set<string>();
  const read = (record: unknown): ClientRecord => {
    const { clientid, clientname, checksum, ...rest } = parseClient(record);
    const { balance, extra, remark } = takeBalance(rest as Extra, balanceField);
    if (remark !== null) remarks.add(remark);
    return { clientId: clientid, name: clientname, checksum, balance, extra };
  };
  const reading = readRecords(data, read, (client) => client.clientId, 'clientid');
  return { ...reading, remarks: [...remarks] };
}

/** Reads campaign summaries (service.md 2.4). */
export function readCampaigns(result: readonly unknown[]): Reading<CampaignRecord> {
  const read = (record: unknown): CampaignRecord => {
    const { callsetid, campaign, attempts, busies, connects, liveanswers, ...rest } = parseCampaign(record);
    const counts = { attempts, busies, connects, liveAnswers: liveanswers };
    return { callsetId: callsetid, campaign, ...counts, extra: rest as Extra };
  };
  return { ...readRecords(result, read, (campaign) => campaign.callsetId, 'callsetid'), remarks: [] };
}
