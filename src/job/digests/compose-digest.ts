import { composeDigest } from '../../digest/compose.ts';
import { comparedPairs, divisorsOf } from '../../digest/content/comparison.ts';
import { shownDays, toDateSpans } from '../../digest/content/totals.ts';
import { toMime } from '../../mail/message.ts';
import type {
  AccountTotals,
  Attention,
  DigestDefinition,
  DigestFigures,
  DigestMessage,
  EarlierPeriod,
} from '../../model/digest.ts';
import { daysOf, type Period, periodOf } from '../../model/period.ts';
import type { Queries } from '../../warehouse/db/database.ts';
import { inSnapshot } from '../../warehouse/db/transaction.ts';
import * as figures from '../../warehouse/queries/figures.ts';
import * as attention from '../../warehouse/queries/figures-attention.ts';
import { readRestated } from '../../warehouse/queries/figures-restated.ts';
import { readExtremeRates, readMovers } from '../../warehouse/queries/movers.ts';
import { readSums, readTypical } from '../../warehouse/queries/sums.ts';
import type { AppContext } from '../run/app-context.ts';
import { attachedCsv } from './digest-csv.ts';
import type { DuePeriod } from './due.ts';

/** The circumstances of a digest that aren't in the figures of the warehouse. */
export type DigestOccasion = {
  /** The totals of the first digest, if this one corrects it; otherwise null. */
  readonly before: readonly AccountTotals[] | null;
  /** Earlier due periods and corrections that are sent with it. */
  readonly earlier: readonly Omit<DuePeriod, 'digest'>[];
};

/** The occasion of a digest that corrects none and brings no earlier periods along. */
export const plainOccasion: DigestOccasion = { before: null, earlier: [] };

/** Campaigns in the mail; the CSV has all. */
const shownCampaigns = 10;

/** Of the lines of base64: 57 bytes become 76 letters and a line break. */
const base64Share = 57 / 78;

/**
 * A digest of the current state, and its MIME. Figures and CSV come from one snapshot, so they agree. The CSV ends where
 * the message would be larger than `DIGEST_MAX_MB`.
 */
export async function composeFromWarehouse(
  { warehouse, config }: AppContext,
  digest: DigestDefinition,
  period: Period,
  occasion: DigestOccasion,
  builtAt: Date,
): Promise<{
  readonly figures: DigestFigures;
  readonly message: DigestMessage;
  readonly mime: string;
}> {
  const periods = [...occasion.earlier.map(({ day }) => periodOf(digest.every, day)), period];
  const { maxMessageBytes } = config.mail;
  return await inSnapshot(warehouse, '5min', async (snapshot) => {
    const figures = await readFigures(snapshot, digest, period, occasion);
    const compose = async (maxCsvBytes: number) => {
      const csv = await attachedCsv(snapshot, digest, periods, maxCsvBytes);
      const message = await composeDigest(figures, csv);
      return { figures, message, mime: await toMime(message, builtAt) };
    };
    const whole = await compose(maxMessageBytes * base64Share);
    const excess = Buffer.byteLength(whole.mime) - maxMessageBytes;
    if (excess <= 0) return whole;
    return await compose(Math.max(0, whole.message.csv.length - excess * base64Share - 1_000));
  });
}

/** The figures of a digest. */
export async function readFigures(
  snapshot: Queries,
  digest: DigestDefinition,
  period: Period,
  occasion: DigestOccasion,
): Promise<DigestFigures> {
  const readAt = await figures.readClock(snapshot);
  const ids = (await figures.readDigestAccounts(snapshot, digest.accounts)).map(({ id }) => id);
  const { name, locale, timeZone, lowBalance, link } = digest;
  const accounts = await figures.readAccountTotals(snapshot, digest.accounts, period);
  const typical = await readTypical(snapshot, digest.accounts, period);
  const pairs = comparedPairs({ accounts, typical });
  const compared = pairs.map(({ now }) => now.account);
  return {
    name,
    locale,
    timeZone,
    lowBalance,
    link,
    period,
    day: period.to,
    before: occasion.before,
    earlier: await readEarlier(snapshot, digest, occasion),
    accounts,
    typical,
    ...(await readOtherSpans(snapshot, digest.accounts, period)),
    topCampaigns: await figures.readTopCampaigns(snapshot, ids, period, shownCampaigns),
    movers: await readMovers(snapshot, compared, period, divisorsOf(pairs)),
    extremeRates: period.every === 'day' ? [] : await readExtremeRates(snapshot, ids, period),
    completeThrough: await figures.readCompleteThrough(snapshot, digest.accounts, period.to),
    asOf: await figures.readAsOf(snapshot, ids, period),
    readAt,
    attention: await readAttention(snapshot, digest, ids, period, occasion),
  };
}

async function readEarlier(
  snapshot: Queries,
  { every, accounts }: DigestDefinition,
  { earlier }: DigestOccasion,
): Promise<EarlierPeriod[]> {
  const read: EarlierPeriod[] = [];
  for (const { day, before } of earlier) {
    const period = periodOf(every, day);
    read.push({ period, before, accounts: await figures.readAccountTotals(snapshot, accounts, period) });
  }
  return read;
}

/** The same sums over the days of the chart and over the time to date. */
async function readOtherSpans(
  snapshot: Queries,
  accounts: readonly string[],
  period: Period,
): Promise<Pick<DigestFigures, 'days' | 'toDate'>> {
  const days = shownDays(period);
  const toDate = toDateSpans(period);
  const sums = await readSums(snapshot, [
    ...days.map((day) => ({ accounts, from: day, to: day })),
    ...toDate.map(({ from }) => ({ accounts, from, to: period.to })),
  ]);
  return {
    days: days.map((day, index) => ({ day, ...sums[index]! })),
    toDate: toDate.map((span, index) => ({ ...span, ...sums[days.length + index]! })),
  };
}

async function readAttention(
  snapshot: Queries,
  { name, every, lowBalance }: DigestDefinition,
  ids: readonly number[],
  period: Period,
  { earlier, before }: DigestOccasion,
): Promise<Attention> {
  // A correction has no other news: the next digest names it, once.
  const news =
    before === null
      ? await attention.readNewsPeriod(snapshot, { name, every, day: period.to })
      : { since: null, until: null };
  const earlierDays = earlier.flatMap(({ day }) => daysOf(periodOf(every, day)));
  const restated = await readRestated(snapshot, { name, every }, ids, period.from, news);
  return {
    // The table of earlier periods has the others, from → to.
    restated: restated.filter(({ day }) => !earlierDays.includes(day)),
    held: await attention.readHeld(snapshot, ids, period.to, news),
    newClients: await attention.readNewClients(snapshot, ids, news),
    vanishedClients: await attention.readVanishedClients(snapshot, ids, news),
    lowBalances: await attention.readLowBalances(snapshot, ids, lowBalance, news),
    known: await attention.readKnownAnomalies(snapshot, ids, period),
  };
}
