import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Transaction } from '../db/database.ts';
import { asExcluded, differs } from '../db/expressions.ts';
import type { Timestamp } from '../db/timestamp.ts';

const sumColumns = ['campaigns', 'attempts', 'busies', 'connects', 'live_answers', 'provisional'] as const;

/** Brings the day's sums in line with its rows; a row that didn't change isn't written. */
export async function sumUpDay(
  transaction: Transaction,
  accountId: number,
  day: Day,
  provisional: boolean,
  at: Timestamp,
): Promise<void> {
  await transaction
    .insertInto('warehouse.account_days')
    .columns(['account_id', 'day', ...sumColumns, 'loaded_at'])
    .expression((eb) =>
      eb
        .selectFrom('warehouse.campaign_days')
        .select(({ fn }) => [
          sql<number>`${accountId}::integer`.as('account_id'),
          sql<string>`${day}::date`.as('day'),
          fn.countAll<number>().as('campaigns'),
          sumOf('attempts'),
          sumOf('busies'),
          sumOf('connects'),
          sumOf('live_answers'),
          sql<boolean>`${provisional}::boolean`.as('provisional'),
          at.as('loaded_at'),
        ])
        .where('account_id', '=', accountId)
        .where('day', '=', day)
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

function sumOf<Column extends 'attempts' | 'busies' | 'connects' | 'live_answers'>(column: Column) {
  return sql<number>`coalesce(sum(${sql.ref(column)}), 0)`.as(column);
}
