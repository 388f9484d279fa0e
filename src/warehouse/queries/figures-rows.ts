import type { Day } from '../../model/day.ts';
import type { DigestRow } from '../../model/digest.ts';
import type { Transaction } from '../db/database.ts';
import type { Days, DigestAccount } from './figures.ts';

/** Rows that a cursor fetches at once: few round trips, little memory. */
const chunkSize = 1_000;

/**
 * Streams the current rows of a period from a cursor, account by account, by day and id: however many they
 * are, few are in memory. This is the order of the primary key, so that nothing sorts them.
 */
export async function* streamDigestRows(
  snapshot: Transaction,
  accounts: readonly DigestAccount[],
  period: Days,
): AsyncGenerator<DigestRow> {
  for (const account of accounts) {
    const { provisional, short } = await markedDays(snapshot, account.id, period);
    const statusOf = (day: Day, restatedAt: string | null): DigestRow['status'] => {
      if (provisional.has(day)) return 'provisional';
      if (short.has(day)) return 'short';
      return restatedAt === null ? 'loaded' : 'restated';
    };
    for await (const { restatedAt, extra, ...row } of rowsOf(snapshot, account.id, period)) {
      yield {
        ...row,
        account: account.name,
        label: account.label,
        clientId: account.clientId,
        status: statusOf(row.day, restatedAt),
        extra,
      };
    }
  }
}

function rowsOf(snapshot: Transaction, accountId: number, { from, to }: Days) {
  return snapshot
    .selectFrom('warehouse.campaign_days')
    .select([
      'day',
      'callset_id as callsetId',
      'campaign',
      'attempts',
      'busies',
      'connects',
      'live_answers as liveAnswers',
      'restated_at as restatedAt',
      'extra',
    ])
    .where('account_id', '=', accountId)
    .where((eb) => eb.between('day', from, to))
    .where('withdrawn_at', 'is', null)
    .orderBy('day')
    .orderBy('callset_id')
    .stream(chunkSize);
}

/** Days of the period that weren't over when they were fetched, and days whose figures may be low. */
async function markedDays(snapshot: Transaction, accountId: number, { from, to }: Days) {
  const days = await snapshot
    .selectFrom('warehouse.account_days')
    .select(['day', 'provisional', 'short'])
    .where('account_id', '=', accountId)
    .where((eb) => eb.between('day', from, to))
    .where((eb) => eb.or([eb('provisional', '=', true), eb('short', '=', true)]))
    .execute();
  const daysWhere = (mark: 'provisional' | 'short'): ReadonlySet<Day> =>
    new Set(days.filter((day) => day[mark]).map(({ day }) => day));
  return { provisional: daysWhere('provisional'), short: daysWhere('short') };
}
