import type { Readable } from 'node:stream';
import { fileName } from '../../digest/compose.ts';
import { balancesCsv } from '../../digest/render/balances-csv.ts';
import { digestCsv } from '../../digest/render/csv.ts';
import { packCsv } from '../../digest/render/pack-csv.ts';
import type { CsvAttachment, DigestDefinition, DigestFigures } from '../../model/digest.ts';
import type { Period } from '../../model/period.ts';
import type { Transaction } from '../../warehouse/db/database.ts';
import * as figures from '../../warehouse/queries/figures.ts';
import * as attention from '../../warehouse/queries/figures-attention.ts';
import { streamDigestRows } from '../../warehouse/queries/figures-rows.ts';

/** The CSV inside an archive. */
export const csvFile = ({ name }: DigestDefinition, period: Period) => ({
  name: `${fileName({ name, period })}.csv`,
  day: period.to,
});

/** All campaigns of all days of the period and of those sent with it as CSV, streamed. */
export async function csvOf(
  snapshot: Transaction,
  digest: DigestDefinition,
  { period, earlier }: Pick<DigestFigures, 'period' | 'earlier'>,
) {
  const accounts = await figures.readDigestAccounts(snapshot, digest.accounts);
  async function* rows() {
    for (const each of [...earlier, { period }]) yield* streamDigestRows(snapshot, accounts, each.period);
  }
  return digestCsv(rows(), digest);
}

/** All low balances as CSV, streamed, if there are more than the mail lists; else null. */
export async function balancesOf(
  snapshot: Transaction,
  { accounts, lowBalance, csv }: DigestDefinition,
  { attention: { lowBalances, lowBalanceCount } }: DigestFigures,
): Promise<Readable | null> {
  if (lowBalance === null || lowBalanceCount === lowBalances.length) return null;
  const ids = (await figures.readDigestAccounts(snapshot, accounts)).map(({ id }) => id);
  return balancesCsv(attention.streamLowBalances(snapshot, ids, lowBalance), csv);
}

/** The CSV of low balances as an attachment; null if there is none. */
export async function packBalances(
  balances: Readable | null,
  { name }: DigestDefinition,
  period: Period,
  maxBytes: number,
): Promise<CsvAttachment | null> {
  if (balances === null) return null;
  const file = { name: `${fileName({ name, period })}-balances.csv`, day: period.to };
  return await packCsv(balances, file, maxBytes);
}
