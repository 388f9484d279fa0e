import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { composeDigest, fileName } from '../../digest/compose.ts';
import { balancesCsv } from '../../digest/render/balances-csv.ts';
import { digestCsv } from '../../digest/render/csv.ts';
import { withChart } from '../../digest/render/html.ts';
import { packCsv } from '../../digest/render/pack-csv.ts';
import { addressed, toMime } from '../../mail/message.ts';
import type { Day } from '../../model/day.ts';
import type {
  AccountTotals,
  Attention,
  CsvAttachment,
  DigestDefinition,
  DigestFigures,
  DigestMessage,
} from '../../model/digest.ts';
import type { Queries, Transaction } from '../../warehouse/db/database.ts';
import { inSnapshot } from '../../warehouse/db/transaction.ts';
import * as figures from '../../warehouse/queries/figures.ts';
import * as attention from '../../warehouse/queries/figures-attention.ts';
import * as history from '../../warehouse/queries/figures-history.ts';
import { readRestated } from '../../warehouse/queries/figures-restated.ts';
import { streamDigestRows } from '../../warehouse/queries/figures-rows.ts';
import type { AppContext } from '../run/app-context.ts';

type ComposeContext = Pick<AppContext, 'warehouse' | 'config'>;

/** What belongs to this digest of that day, and isn't in the figures of the warehouse. */
export type DigestOccasion = {
  /** Days completed by the same run that get no digest of their own. */
  readonly earlierDays: readonly Day[];
  /** The totals of the first digest, where this one corrects it; null for a first digest. */
  readonly before: readonly AccountTotals[] | null;
};

/** That of a digest that is neither corrected nor names earlier days. */
export const plainOccasion: DigestOccasion = { earlierDays: [], before: null };

/** Clients' figures are no business of the machine's other users. */
const ownersAlone = { mode: 0o600 };

/** How many campaigns a digest shows; the CSV has all. */
const shownCampaigns = 10;

/** A digest as the warehouse has it now. Figures and CSV are of one snapshot: whatever is loaded meanwhile, they agree. */
export async function composeFromWarehouse(
  { warehouse, config }: ComposeContext,
  digest: DigestDefinition,
  day: Day,
  occasion: DigestOccasion,
): Promise<{ readonly figures: DigestFigures; readonly message: DigestMessage }> {
  const { maxAttachmentBytes } = config.mail;
  const { figures, csv, balances } = await inSnapshot(warehouse, '5min', async (snapshot) => {
    const figures = await readFigures(snapshot, digest, day, occasion);
    return {
      figures,
      csv: await packCsv(await csvOf(snapshot, digest, day), maxAttachmentBytes),
      balances: await packBalances(snapshot, digest, figures, maxAttachmentBytes),
    };
  });
  return { figures, message: await composeDigest(figures, csv, balances) };
}

/** All low balances, where there are more than the mail lists; else null. */
async function packBalances(
  snapshot: Transaction,
  { accounts, lowBalance, csv }: DigestDefinition,
  { attention: { lowBalances, lowBalanceCount } }: DigestFigures,
  maxBytes: number,
): Promise<CsvAttachment | null> {
  if (lowBalance === null || lowBalanceCount === lowBalances.length) return null;
  const ids = (await figures.readDigestAccounts(snapshot, accounts)).map(({ id }) => id);
  return await packCsv(balancesCsv(attention.streamLowBalances(snapshot, ids, lowBalance), csv), maxBytes);
}

/** Writes a digest as `.html`, `.txt`, `.csv` and `.eml`, for their owner alone, without sending it; gives the paths. */
export async function previewDigest(
  { warehouse, config }: ComposeContext,
  digest: DigestDefinition,
  day: Day,
  directory: string,
): Promise<string[]> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = (ending: string) => path.join(directory, `${fileName({ name: digest.name, day })}.${ending}`);
  const files = ['eml', 'html', 'txt', 'csv'].map(file);
  // One that is there would keep its mode.
  await Promise.all(files.map((each) => rm(each, { force: true })));
  // Whole, however large, and without ever being whole in memory.
  const { maxAttachmentBytes } = config.mail;
  const { figures, balances } = await inSnapshot(warehouse, '5min', async (snapshot) => {
    await pipeline(await csvOf(snapshot, digest, day), createWriteStream(file('csv'), ownersAlone));
    const figures = await readFigures(snapshot, digest, day, plainOccasion);
    return { figures, balances: await packBalances(snapshot, digest, figures, maxAttachmentBytes) };
  });
  const csv = await packCsv(createReadStream(file('csv')), maxAttachmentBytes);
  const message = await composeDigest(figures, csv, balances);
  // Dated by the day itself, so that the same warehouse gives the same bytes.
  const mime = await toMime(message, config.mail, new Date(`${day}T00:00:00Z`));
  await writeFile(file('eml'), addressed(mime, digest.to[0]!, '<preview@localhost>'), ownersAlone);
  await writeFile(file('html'), withChart(message), ownersAlone);
  await writeFile(file('txt'), message.text, ownersAlone);
  return files;
}

/** Every campaign of the day as CSV, read as it is wanted. */
export async function csvOf(snapshot: Transaction, digest: DigestDefinition, day: Day) {
  const accounts = await figures.readDigestAccounts(snapshot, digest.accounts);
  return digestCsv(streamDigestRows(snapshot, accounts, day), digest);
}

/** The figures of a digest, as the snapshot has them. */
export async function readFigures(
  snapshot: Queries,
  digest: DigestDefinition,
  day: Day,
  occasion: DigestOccasion,
): Promise<DigestFigures> {
  const ids = (await figures.readDigestAccounts(snapshot, digest.accounts)).map(({ id }) => id);
  const { name, locale, timeZone, lowBalance } = digest;
  return {
    name,
    locale,
    timeZone,
    lowBalance,
    day,
    ...occasion,
    accounts: await figures.readAccountTotals(snapshot, digest.accounts, day),
    history: await history.readHistory(snapshot, ids, day),
    topCampaigns: await figures.readTopCampaigns(snapshot, ids, day, shownCampaigns),
    movers: await history.readMovers(snapshot, ids, day),
    lowestRates: await history.readLowestRates(snapshot, ids, day),
    coverage: await figures.readDigestCoverage(snapshot, ids, day),
    asOf: await figures.readAsOf(snapshot, ids, day),
    attention: await readAttention(snapshot, digest, ids, day, occasion),
  };
}

async function readAttention(
  snapshot: Queries,
  { name, lowBalance }: DigestDefinition,
  ids: readonly number[],
  day: Day,
  { earlierDays, before }: DigestOccasion,
): Promise<Attention> {
  const period = await attention.readNewsPeriod(snapshot, name, day);
  // The news of a corrected digest end now, not with the first one.
  const news = before === null ? period : { ...period, until: null };
  return {
    restated: await readRestated(snapshot, name, ids, day, news),
    held: await attention.readHeld(snapshot, ids, day),
    suspicious: await attention.readSuspicious(snapshot, ids, [...earlierDays, day]),
    newClients: await attention.readNewClients(snapshot, ids, news),
    vanishedClients: await attention.readVanishedClients(snapshot, ids, news),
    ...(await attention.readLowBalances(snapshot, ids, lowBalance)),
  };
}
