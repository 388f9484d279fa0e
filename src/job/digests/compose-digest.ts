import { composeDigest } from '../../digest/compose.ts';
import { comparedPairs, isRated } from '../../digest/content/comparison.ts';
import { shownDays, toDateSpans } from '../../digest/content/totals.ts';
import { digestCsv, takeCsv } from '../../digest/render/csv.ts';
import { languageOf } from '../../digest/words/languages.ts';
import { toMime } from '../../mail/message.ts';
import type {
  DigestDefinition,
  DigestFigures,
  DigestMessage,
  EarlierPeriod,
  PeriodParts,
} from '../../model/digest.ts';
import { daysOf, type Period, periodOf } from '../../model/period.ts';
import type { Queries, Transaction } from '../../warehouse/db/database.ts';
import { inSnapshot } from '../../warehouse/db/transaction.ts';
import type { MailedFigures } from '../../warehouse/outbox/mails.ts';
import { readCurrent } from '../../warehouse/outbox/periods.ts';
import * as figures from '../../warehouse/queries/figures.ts';
import { readAttention } from '../../warehouse/queries/figures-attention.ts';
import { readCampaigns } from '../../warehouse/queries/figures-campaigns.ts';
import { digestRowPages, readCsvColumns } from '../../warehouse/queries/figures-rows.ts';
import { readSums, readTypical } from '../../warehouse/queries/sums.ts';
import type { AppContext } from '../run/app-context.ts';
import { type DueMail, type DuePeriod, isInPart } from './due.ts';

/** The circumstances of a digest that aren't in the figures of the warehouse. */
export type DigestOccasion = Pick<DueMail, 'accounts' | 'before' | 'earlier' | 'mailedAt'>;

/** Late periods that have a sentence of their own; more are rows. */
const maxLate = 2;

/** Base64 turns 57 bytes into a line of 76 characters and a line break. */
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
): Promise<{
  readonly figures: DigestFigures;
  /** Its figures of each account in each period. */
  readonly mailed: readonly MailedFigures[];
  readonly message: DigestMessage;
  readonly mime: string;
}> {
  const { maxMessageBytes } = config.mail;
  return await inSnapshot(warehouse, '5min', async (snapshot) => {
    const requested = [{ day: period.to, accounts: occasion.accounts }, ...occasion.earlier].flatMap(
      ({ day, accounts }) =>
        accounts.map(({ account, since }) => ({ every: digest.every, day, account, since })),
    );
    const current = await readCurrent(snapshot, requested);
    const mailed = current.map((each, index) => ({ ...each, day: requested[index]!.day }));
    const figures = await readFigures(snapshot, digest, period, occasion, mailed);
    const periods = [...occasion.earlier.filter(isAttached), { day: period.to, accounts: occasion.accounts }];
    const compose = async (maxCsvBytes: number) => {
      const rows = csvOf(snapshot, digest, periods);
      const csv = await takeCsv(rows, maxCsvBytes, languageOf(digest.locale).words.csv.cut, digest.csv);
      const message = await composeDigest(figures, csv);
      return { figures, mailed, message, mime: await toMime(message) };
    };
    const whole = await compose(maxMessageBytes * base64Share);
    const excess = Buffer.byteLength(whole.mime) - maxMessageBytes;
    if (excess <= 0) return whole;
    return await compose(Math.max(0, whole.message.csv.length - excess * base64Share - 1_000));
  });
}

export async function readFigures(
  snapshot: Queries,
  digest: DigestDefinition,
  period: Period,
  occasion: DigestOccasion,
  mailed: readonly MailedFigures[],
): Promise<DigestFigures> {
  const ids = (await figures.readDigestAccounts(snapshot, digest.accounts)).map(({ id }) => id);
  const { name, locale, timeZone, lowBalance, link } = digest;
  // One that joined later is no part of the period, and lacks nothing.
  const names = occasion.accounts.map(({ account }) => account);
  const earlier = occasion.earlier.map(({ day, before }) => ({
    period: periodOf(digest.every, day),
    accounts: mailed.filter((each) => each.day === day),
    before,
  }));
  const late = earlier.filter(isLate).slice(-maxLate).reverse();
  const lateParts: PeriodParts[] = [];
  for (const { period, accounts } of late)
    lateParts.push(
      await readPeriodParts(
        snapshot,
        accounts.map(({ account }) => account),
        period,
      ),
    );
  // The same sums over the days of the chart and over the time to date.
  const days = shownDays(period);
  const toDate = toDateSpans(period);
  const sums = await readSums(snapshot, [
    ...days.map((day) => ({ accounts: names, from: day, to: day })),
    ...toDate.map(({ from }) => ({ accounts: names, from, to: period.to })),
  ]);
  return {
    name,
    locale,
    timeZone,
    lowBalance,
    link,
    day: period.to,
    before: occasion.before,
    late: lateParts,
    earlier: earlier.filter((each) => !late.includes(each)),
    ...(await readPeriodParts(snapshot, names, period)),
    days: days.map((day, index) => ({ day, ...sums[index]! })),
    toDate: toDate.map((span, index) => ({ ...span, ...sums[days.length + index]! })),
    ...(await figures.readFreshness(snapshot, ids, names, period)),
    attention: await readAttention(snapshot, digest, ids, names, period, occasion.mailedAt),
  };
}

/** Nobody was mailed figures of it, and it has calls. */
const isLate = ({ accounts, before }: EarlierPeriod) =>
  (before === null || before.every(({ state }) => state === 'absent')) &&
  accounts.some(({ attempts }) => attempts !== 0n && attempts !== null);

/** The figures of these accounts in a period, next to what is typical of it. */
async function readPeriodParts(
  snapshot: Queries,
  names: readonly string[],
  period: Period,
): Promise<PeriodParts> {
  const accounts = await figures.readAccountTotals(snapshot, names, period);
  const typical = await readTypical(snapshot, names, period);
  const pairs = comparedPairs({ accounts, typical });
  const [compared, rated] = [pairs, pairs.filter(isRated)].map((some) =>
    some.map(({ now }) => now.account),
  ) as [string[], string[]];
  const campaigns = await readCampaigns(snapshot, names, compared, rated, period);
  return { period, accounts, typical, campaigns };
}

/** The CSV has the days of periods that nobody has the CSV of: late ones, and those that were mailed in part. */
const isAttached = ({ before }: DuePeriod) => before === null || before.some(isInPart);

/** All campaigns of all days of these periods as CSV, page by page. */
export async function* csvOf(
  snapshot: Transaction,
  { every, accounts, extraFields, csv }: DigestDefinition,
  periods: readonly Pick<DuePeriod, 'day' | 'accounts'>[],
): AsyncGenerator<Buffer> {
  const known = await figures.readDigestAccounts(snapshot, accounts);
  const days = periods.flatMap(({ day }) => daysOf(periodOf(every, day)));
  const columns = await readCsvColumns(snapshot, known, days, extraFields);
  async function* pages() {
    for (const { day, accounts } of periods) {
      const own = new Set(accounts.map(({ account }) => account));
      yield* digestRowPages(
        snapshot,
        known.filter(({ name }) => own.has(name)),
        periodOf(every, day),
      );
    }
  }
  yield* digestCsv(pages(), columns, csv);
}
