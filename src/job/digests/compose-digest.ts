import { composeDigest } from '../../digest/compose.ts';
import { digestCsv } from '../../digest/render/csv.ts';
import { packCsv } from '../../digest/render/pack-csv.ts';
import type { Day } from '../../model/day.ts';
import type { DigestDefinition, DigestFigures, DigestMessage } from '../../model/digest.ts';
import type { Transaction } from '../../warehouse/db/database.ts';
import { inSnapshot } from '../../warehouse/db/transaction.ts';
import { readDigestAccounts } from '../../warehouse/queries/figures.ts';
import { streamDigestRows } from '../../warehouse/queries/figures-rows.ts';
import type { AppContext } from '../run/app-context.ts';
import { type DigestOccasion, readFigures } from './digest-figures.ts';

export type ComposedDigest = { readonly figures: DigestFigures; readonly message: DigestMessage };

/** A digest as the warehouse has it now. Figures and CSV are of one snapshot: whatever is loaded meanwhile, they agree. */
export async function composeFromWarehouse(
  { warehouse, config }: Pick<AppContext, 'warehouse' | 'config'>,
  digest: DigestDefinition,
  day: Day,
  occasion: DigestOccasion,
): Promise<ComposedDigest> {
  const { figures, csv } = await inSnapshot(warehouse, '5min', async (snapshot) => ({
    figures: await readFigures(snapshot, digest, day, occasion),
    csv: await packCsv(await csvOf(snapshot, digest, day), config.mail.maxAttachmentBytes),
  }));
  return { figures, message: await composeDigest(figures, csv) };
}

/** Every campaign of the day as CSV, read as it is wanted. */
export async function csvOf(snapshot: Transaction, digest: DigestDefinition, day: Day) {
  const accounts = await readDigestAccounts(snapshot, digest.accounts);
  return digestCsv(streamDigestRows(snapshot, accounts, day), digest.extraFields);
}
