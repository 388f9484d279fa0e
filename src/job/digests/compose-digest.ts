import { composeDigest } from '../../digest/compose.ts';
import { shownDays } from '../../digest/content/totals.ts';
import { packCsv } from '../../digest/render/pack-csv.ts';
import { addDays, type Day } from '../../model/day.ts';
import type {
  AccountTotals,
  Attention,
  DigestDefinition,
  DigestFigures,
  DigestMessage,
} from '../../model/digest.ts';
import { daysOf, type Period, periodBefore, periodOf } from '../../model/period.ts';
import type { Queries } from '../../warehouse/db/database.ts';
import { inSnapshot } from '../../warehouse/db/transaction.ts';
import * as figures from '../../warehouse/queries/figures.ts';
import * as attention from '../../warehouse/queries/figures-attention.ts';
import * as history from '../../warehouse/queries/figures-history.ts';
import { readRestated } from '../../warehouse/queries/figures-restated.ts';
import type { AppContext } from '../run/app-context.ts';
import { balancesOf, csvFile, csvOf, packBalances } from './digest-csv.ts';

/** The circumstances of a digest that aren't in the figures of the warehouse. */
export type DigestOccasion = {
  /** Last days of periods that the same run completed and that get no digest of their own. */
  readonly earlierDays: readonly Day[];
  /** The totals of the first digest, if this one corrects it; otherwise null. */
  readonly before: readonly AccountTotals[] | null;
};

/** The occasion of a digest that corrects none and names no earlier days. */
export const plainOccasion: DigestOccasion = { earlierDays: [], before: null };

/** Campaigns in the mail; the CSV has all. */
const shownCampaigns = 10;

/** A digest of the current state. Figures and CSV come from one snapshot, so they agree. */
export async function composeFromWarehouse(
  { warehouse, config }: AppContext,
  digest: DigestDefinition,
  period: Period,
  occasion: DigestOccasion,
): Promise<{ readonly figures: DigestFigures; readonly message: DigestMessage }> {
  const { maxAttachmentBytes } = config.mail;
  const { figures, csv, balances } = await inSnapshot(warehouse, '5min', async (snapshot) => {
    const figures = await readFigures(snapshot, digest, period, occasion);
    return {
      figures,
      csv: await packCsv(await csvOf(snapshot, digest, period), csvFile(digest, period), maxAttachmentBytes),
      balances: await packBalances(
        await balancesOf(snapshot, digest, figures),
        digest,
        period,
        maxAttachmentBytes,
      ),
    };
  });
  return { figures, message: await composeDigest(figures, csv, balances) };
}

/** The figures of a digest. */
export async function readFigures(
  snapshot: Queries,
  digest: DigestDefinition,
  period: Period,
  occasion: DigestOccasion,
): Promise<DigestFigures> {
  const ids = (await figures.readDigestAccounts(snapshot, digest.accounts)).map(({ id }) => id);
  const { name, locale, timeZone, lowBalance, link } = digest;
  return {
    name,
    locale,
    timeZone,
    lowBalance,
    link,
    period,
    day: period.to,
    ...occasion,
    accounts: await figures.readAccountTotals(snapshot, digest.accounts, period),
    history: await history.readHistory(snapshot, ids, { from: comparedFrom(period), to: period.to }),
    topCampaigns: await figures.readTopCampaigns(snapshot, ids, period, shownCampaigns),
    ...(await readOfDay(snapshot, ids, period)),
    coverage: await figures.readDigestCoverage(snapshot, ids, { from: shownDays(period)[0]!, to: period.to }),
    completeThrough: await figures.readCompleteThrough(snapshot, digest.accounts, period.to),
    asOf: await figures.readAsOf(snapshot, ids, period),
    attention: await readAttention(snapshot, digest, ids, period, occasion),
  };
}

/** The parts that only a daily digest has: a week is compared with no typical weekday. */
async function readOfDay(
  snapshot: Queries,
  ids: readonly number[],
  { every, to }: Period,
): Promise<Pick<DigestFigures, 'movers' | 'lowestRates'>> {
  if (every !== 'day') return { movers: [], lowestRates: [] };
  return {
    movers: await history.readMovers(snapshot, ids, to),
    lowestRates: await history.readLowestRates(snapshot, ids, to),
  };
}

/** The first day of the comparison: four weeks or the month before for a day, else the period before. */
function comparedFrom(period: Period): Day {
  if (period.every !== 'day') return periodBefore(period).from;
  const monthBefore = periodBefore(periodOf('month', period.to)).from;
  const weeksBefore = addDays(period.to, -28);
  return monthBefore < weeksBefore ? monthBefore : weeksBefore;
}

async function readAttention(
  snapshot: Queries,
  { name, every, lowBalance }: DigestDefinition,
  ids: readonly number[],
  period: Period,
  { earlierDays, before }: DigestOccasion,
): Promise<Attention> {
  const lastNews = await attention.readNewsPeriod(snapshot, { name, every, day: period.to });
  // A corrected digest has news up to now, not up to the first digest.
  const news = before === null ? lastNews : { ...lastNews, until: null };
  const days = [...earlierDays, period.to].flatMap((day) => daysOf(periodOf(every, day)));
  return {
    restated: await readRestated(snapshot, { name, every }, ids, period.from, news),
    held: await attention.readHeld(snapshot, ids, period.to),
    suspicious: await attention.readSuspicious(snapshot, ids, days),
    newClients: await attention.readNewClients(snapshot, ids, news),
    vanishedClients: await attention.readVanishedClients(snapshot, ids, news),
    ...(await attention.readLowBalances(snapshot, ids, lowBalance)),
  };
}
