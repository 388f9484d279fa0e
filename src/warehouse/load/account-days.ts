import { sql } from 'kysely';
import type { Transaction } from '../db/database.ts';
import { asExcluded, differs, type Timestamp } from '../db/expressions.ts';
import type { Entry, WindowKey } from '../ledger/window-entry.ts';
import { countColumns } from './campaign-days.ts';

const rates = {
  connect_rate: 'connects',
  live_answer_rate: 'live_answers',
  busy_rate: 'busies',
} as const;
const rateColumns = ['connect_rate', 'live_answer_rate', 'busy_rate'] as const;
const sumColumns = ['campaigns', ...countColumns, ...rateColumns, 'provisional', 'short'] as const;

/** A sum of counts divided by the sum of attempts, over the campaigns that report both. */
function rateOf(column: string) {
  const count = sql.ref(column);
  return sql<string | null>`sum(${count}) filter (where attempts is not null)
    / nullif(sum(attempts) filter (where ${count} is not null), 0)`;
}

/**
 * Writes the day's sums from its rows, unless they are unchanged. A sum is null if no campaign reports the
 * count (design, *Not reported*).
 */
export async function sumUpDay(
  transaction: Transaction,
  { accountId, day, provisional, short }: WindowKey & Pick<Entry, 'provisional' | 'short'>,
  at: Timestamp,
): Promise<void> {
  await transaction
    .insertInto('warehouse.account_days')
    .columns(['account_id', 'day', ...sumColumns, 'loaded_at'])
    .expression((eb) =>
      eb
        .selectFrom('etl.campaign_days')
        .select(({ fn }) => [
          sql<number>`${accountId}::integer`.as('account_id'),
          sql<string>`${day}::date`.as('day'),
          fn.countAll<number>().as('campaigns'),
          ...countColumns.map((column) => fn.sum<string | null>(column).as(column)),
          ...rateColumns.map((column) => rateOf(rates[column]).as(column)),
          sql<boolean>`${provisional}::boolean`.as('provisional'),
          sql<boolean>`${short}::boolean`.as('short'),
          at.as('loaded_at'),
        ])
        .where((where) => where.and({ account_id: accountId, day }))
        .where('withdrawn_at', 'is', null),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'day'])
        .doUpdateSet(asExcluded([...sumColumns, 'loaded_at']))
        .where(differs('warehouse.account_days', sumColumns)),
    )
    .execute();
}

/** Keeps the sums of a finished day that is about to change, with the number of campaigns that change. */
export async function keepPastSums(
  transaction: Transaction,
  { accountId, day }: WindowKey,
  campaigns: number,
  at: Timestamp,
): Promise<void> {
  await transaction
    .insertInto('etl.past_account_days')
    .columns(['account_id', 'day', 'restated_at', 'campaigns', 'attempts', 'connects'])
    .expression((eb) =>
      eb
        .selectFrom('warehouse.account_days')
        .select([
          'account_id',
          'day',
          at.as('restated_at'),
          sql<number>`${campaigns}::bigint`.as('campaigns'),
          'attempts',
          'connects',
        ])
        .where((where) => where.and({ account_id: accountId, day })),
    )
    .execute();
}
