import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { CampaignRecord, ClientRecord, Extra, Json, Reading, Reject } from '../model/records.ts';

/*
 * The wire's own words (service.md 2) and their way into the model. Numbers sent as text are read; fields that
 * the document doesn't show go to `extra`; a record that can't be read goes to the rejects, its neighbours load.
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
const identifier = integer.refine((value) => value >= 0, 'negative');
const count = identifier.nullish().transform((value) => value ?? null);
const text = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .transform((value) => value ?? null);

/** An envelope's number: a hint about paging, never worth failing an answer for. */
const hint = integer
  .nullish()
  .catch(null)
  .transform((value) => value ?? null);

/** Client list envelope (service.md 2.2). */
export const clientEnvelope = z.object({
  page: hint,
  pages: hint,
  limit: hint,
  data: z.array(z.unknown()),
});

/** Campaign summary envelope (service.md 2.3). */
export const summaryEnvelope = z.object({ result: z.array(z.unknown()) });

const clientSchema = z.looseObject({ clientid: identifier, clientname: text, checksum: text });
const campaignSchema = z.looseObject({
  callsetid: identifier,
  campaign: text,
  attempts: count,
  busies: count,
  connects: count,
  liveanswers: count,
});

/** Reads client records (service.md 2.1); `balanceField` names the field that carries the balance, if known. */
export function readClients(data: readonly unknown[], balanceField: string | null): Reading<ClientRecord> {
  return readRecords(
    data,
    (record) => {
      const { clientid, clientname, checksum, ...rest } = clientSchema.parse(record);
      const { balance, extra } = takeBalance(rest as Extra, balanceField);
      return { clientId: clientid, name: clientname, checksum, balance, extra };
    },
    (client) => client.clientId,
  );
}

/** Reads campaign summaries (service.md 2.4). */
export function readCampaigns(result: readonly unknown[]): Reading<CampaignRecord> {
  return readRecords(
    result,
    (record) => {
      const { callsetid, campaign, attempts, busies, connects, liveanswers, ...rest } =
        campaignSchema.parse(record);
      const counts = { attempts, busies, connects, liveAnswers: liveanswers };
      return { callsetId: callsetid, campaign, ...counts, extra: rest as Extra };
    },
    (campaign) => campaign.callsetId,
  );
}

function readRecords<T>(
  raw: readonly unknown[],
  read: (record: unknown) => T,
  id: (record: T) => number,
): Reading<T> {
  const records = new Map<number, { readonly record: T; readonly raw: unknown }>();
  const twice = new Set<number>();
  const rejects: Reject[] = [];
  for (const each of raw) {
    const record = storable(each) ? attempt(read, each) : 'text with U+0000 or half a character in it';
    if (typeof record === 'string') {
      rejects.push({ payload: JSON.stringify(each), reason: record });
      continue;
    }
    const known = records.get(id(record as T));
    if (known === undefined) records.set(id(record as T), { record: record as T, raw: each });
    else if (!isDeepStrictEqual(known.raw, each)) {
      twice.add(id(record as T));
      rejects.push({ payload: JSON.stringify(each), reason: 'the same id twice with differing values' });
    }
  }
  for (const key of twice) {
    rejects.push({
      payload: JSON.stringify(records.get(key)?.raw),
      reason: 'the same id twice with differing values',
    });
    records.delete(key);
  }
  return { records: [...records.values()].map(({ record }) => record), rejects };
}

/** The record, or why it can't be read. */
function attempt<T>(read: (record: unknown) => T, raw: unknown): T | string {
  try {
    return read(raw);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    return error.issues.map((issue) => `${issue.path.join('.') || 'record'}: ${issue.message}`).join('; ');
  }
}

/** Whether Postgres can hold every text of the value: it takes neither U+0000 nor lone surrogates. */
function storable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, each]) => storable(key) && storable(each));
}

/** Takes the balance out of the further fields, where exactly one of them is it and its value is an amount. */
function takeBalance(extra: Extra, named: string | null): { balance: string | null; extra: Extra } {
  const candidates = Object.keys(extra).filter((field) =>
    named === null ? /balance/i.test(field) : field === named,
  );
  const field = candidates.length === 1 ? candidates[0]! : null;
  const balance = field === null ? null : amount(extra[field]!);
  if (field === null || balance === null) return { balance: null, extra };
  const { [field]: _, ...rest } = extra;
  return { balance, extra: rest };
}

/** An amount as decimal text, exactly as it was told; null for anything else. */
function amount(value: Json): string | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const plain = String(value).replaceAll(/[\s,$]/g, '');
  return /^-?\d+(\.\d+)?$/.test(plain) ? plain : null;
}
