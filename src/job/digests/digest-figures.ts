import type { Attention } from '../../model/attention.ts';
import type { Day } from '../../model/day.ts';
import type { AccountTotals, DigestDefinition, DigestFigures } from '../../model/digest.ts';
import type { Queries } from '../../warehouse/db/database.ts';
import {
  readAccountTotals,
  readAsOf,
  readDigestAccounts,
  readDigestCoverage,
  readHistory,
  readTopCampaigns,
} from '../../warehouse/queries/figures.ts';
import * as read from '../../warehouse/queries/figures-attention.ts';
import { readRestated } from '../../warehouse/queries/figures-restated.ts';

/** What belongs to this digest of that day, and isn't in the figures of the warehouse. */
export type DigestOccasion = {
  /** Days completed by the same run that get no digest of their own. */
  readonly earlierDays: readonly Day[];
  /** The totals of the first digest, where this one corrects it; null for a first digest. */
  readonly before: readonly AccountTotals[] | null;
};

/** How many campaigns a digest shows; the CSV has all. */
const shownCampaigns = 10;

/** The figures of a digest, as the snapshot has them. */
export async function readFigures(
  snapshot: Queries,
  digest: DigestDefinition,
  day: Day,
  { earlierDays, before }: DigestOccasion,
): Promise<DigestFigures> {
  const ids = (await readDigestAccounts(snapshot, digest.accounts)).map((account) => account.id);
  const { name, locale, timeZone, lowBalance } = digest;
  return {
    name,
    locale,
    timeZone,
    lowBalance,
    day,
    earlierDays,
    before,
    accounts: await readAccountTotals(snapshot, digest.accounts, day),
    history: await readHistory(snapshot, ids, day),
    topCampaigns: await readTopCampaigns(snapshot, ids, day, shownCampaigns),
    coverage: await readDigestCoverage(snapshot, ids, day),
    asOf: await readAsOf(snapshot, ids, day),
    attention: await readAttention(snapshot, digest, ids, day, { earlierDays, before }),
  };
}

async function readAttention(
  snapshot: Queries,
  { name, lowBalance }: DigestDefinition,
  ids: readonly number[],
  day: Day,
  { earlierDays, before }: DigestOccasion,
): Promise<Attention> {
  const period = await read.readNewsPeriod(snapshot, name, day);
  // The news of a corrected digest end now, not with the first one.
  const news = before === null ? period : { ...period, until: null };
  return {
    restated: await readRestated(snapshot, name, ids, day, news),
    held: await read.readHeld(snapshot, ids, day),
    suspicious: await read.readSuspicious(snapshot, ids, [...earlierDays, day]),
    quarantined: await read.readQuarantined(snapshot, ids, day, news),
    newClients: await read.readNewClients(snapshot, ids, news),
    vanishedClients: await read.readVanishedClients(snapshot, ids, news),
    ...(await read.readLowBalances(snapshot, ids, lowBalance)),
  };
}
