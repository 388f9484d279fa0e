import { sql } from 'kysely';
import type { CurrentRow, DayChange } from '../../model/window.ts';
import type { Queries, Transaction } from '../db/database.ts';
import {
  anyOf,
  asExcluded,
  differs,
  extraOrNull,
  storedExtra,
  tableOf,
  transactionTime,
} from '../db/expressions.ts';
import type { WindowKey } from '../ledger/window-entry.ts';

const countColumns = ['attempts', 'busies', 'connects', 'live_answers'] as const;
const recordColumns = ['campaign', ...countColumns, 'extra'] as const;

/** The column of a history that has a value from before a change. */
const before = <Column extends string>(column: Column) => `${column}_before` as const;

/** Reads every row of a day, withdrawn ones included. */
export async function readCurrentRows(
  queries: Queries,
  { accountId, day }: WindowKey,
): Promise<CurrentRow[]> {
  return await queries
    .selectFrom('etl.campaign_days')
    .select([
      'callset_id as callsetId',
      'campaign',
      'attempts',
      'busies',
      'connects',
      'live_answers as liveAnswers',
      'extra',
      sql<boolean>`withdrawn_at is not null`.as('withdrawn'),
    ])
    .where((eb) => eb.and({ account_id: accountId, day }))
    .execute();
}

/**
 * Writes only the rows that changed; restated ones are first copied to the restatements as they were. A campaign that wasn't
 * there has null values, also if it had some before it was withdrawn.
 */
export async function applyDayChange(
  transaction: Transaction,
  window: WindowKey,
  change: DayChange,
): Promise<void> {
  if (change.restatements.length > 0) {
    await recordPastSums(transaction, window, change);
    await recordRestatements(transaction, window, change);
  }
  if (change.appeared.length + change.updated.length > 0) await upsertRows(transaction, window, change);
  if (change.withdrawn.length > 0) await withdrawRows(transaction, window, change);
}

async function recordRestatements(
  transaction: Transaction,
  { accountId, day }: WindowKey,
  { restatements }: DayChange,
): Promise<void> {
  const restated = tableOf(restatements, 'r', {
    callset_id: ['bigint', ({ callsetId }) => callsetId],
    reason: ['text', ({ reason }) => reason],
  });
  await transaction
    .insertInto('warehouse.campaign_day_restatements')
    .columns([
      'account_id',
      'day',
      'callset_id',
      'restated_at',
      'reason',
      ...recordColumns.map(before),
      'loaded_at',
    ])
    .expression((eb) =>
      eb
        .selectFrom(restated)
        .leftJoin('etl.campaign_days as d', (join) =>
          join
            .onRef('d.callset_id', '=', 'r.callset_id')
            .on('d.account_id', '=', accountId)
            .on('d.day', '=', day)
            .on('d.withdrawn_at', 'is', null),
        )
        .select([
          sql<number>`${accountId}::integer`.as('account_id'),
          sql<string>`${day}::date`.as('day'),
          'r.callset_id',
          transactionTime.as('restated_at'),
          'r.reason',
          ...recordColumns,
          'loaded_at',
        ]),
    )
    .execute();
}

/** A new name alone doesn't change `loaded_at`: it shows since when the service has reported these counts. */
async function upsertRows(
  transaction: Transaction,
  { accountId, day }: WindowKey,
  change: DayChange,
): Promise<void> {
  const rows = tableOf([...change.appeared, ...change.updated], 'r', {
    callset_id: ['bigint', (record) => record.callsetId],
    campaign: ['text', (record) => record.campaign],
    attempts: ['bigint', (record) => record.attempts],
    busies: ['bigint', (record) => record.busies],
    connects: ['bigint', (record) => record.connects],
    live_answers: ['bigint', (record) => record.liveAnswers],
    extra: ['jsonb', (record) => extraOrNull(record.extra)],
  });
  await transaction
    .insertInto('etl.campaign_days')
    .columns(['callset_id', ...recordColumns, 'account_id', 'day', 'loaded_at', 'restated_at'])
    .expression((eb) =>
      eb
        .selectFrom(rows)
        .select([
          'callset_id',
          'campaign',
          ...countColumns,
          storedExtra('r').as('extra'),
          sql<number>`${accountId}::integer`.as('account_id'),
          sql<string>`${day}::date`.as('day'),
          transactionTime.as('loaded_at'),
          restatedAt('r', change).as('restated_at'),
        ]),
    )
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'day', 'callset_id']).doUpdateSet({
        ...asExcluded(recordColumns),
        loaded_at: sql`
          case when etl.campaign_days.withdrawn_at is not null
              or ${differs('etl.campaign_days', countColumns)}
            then excluded.loaded_at else etl.campaign_days.loaded_at end`,
        withdrawn_at: null,
        restated_at: sql`coalesce(excluded.restated_at, etl.campaign_days.restated_at)`,
      }),
    )
    .execute();
}

async function withdrawRows(
  transaction: Transaction,
  { accountId, day }: WindowKey,
  change: DayChange,
): Promise<void> {
  await transaction
    .updateTable('etl.campaign_days')
    .set((eb) => ({
      withdrawn_at: transactionTime,
      restated_at: eb.fn.coalesce(restatedAt('etl.campaign_days', change), 'restated_at'),
    }))
    .where((eb) => eb.and({ account_id: accountId, day }))
    .where('callset_id', '=', anyOf(change.withdrawn))
    .execute();
}

/** The `restated_at` of a row if it is restated; else null. */
function restatedAt(table: string, { restatements }: DayChange) {
  const ids = restatements.map((restatement) => restatement.callsetId);
  return sql<
    string | null
  >`case when ${sql.ref(`${table}.callset_id`)} = any(${ids}::bigint[]) then ${transactionTime} end`;
}

/** Keeps the sums of a finished day before and after a change: the next change may be no restatement, if the day is provisional by then. */
async function recordPastSums(
  transaction: Transaction,
  { accountId, day }: WindowKey,
  { restatements, sums }: DayChange,
): Promise<void> {
  await transaction
    .insertInto('etl.past_account_days')
    .columns([
      'account_id',
      'day',
      'restated_at',
      'changed_campaigns',
      'attempts_before',
      'attempts_after',
      'connects_before',
      'connects_after',
      'loaded_at',
    ])
    .expression((eb) =>
      eb
        .selectFrom('etl.windows')
        .select([
          'account_id',
          'day',
          transactionTime.as('restated_at'),
          sql<number>`${restatements.length}::bigint`.as('changed_campaigns'),
          'attempts',
          sql<string>`${sums.counts.attempts}::numeric`.as('attempts_after'),
          'connects',
          sql<string>`${sums.counts.connects}::numeric`.as('connects_after'),
          // A day without rows was loaded once.
          sql<string>`coalesce((
            select max(greatest(d.loaded_at, d.withdrawn_at)) from etl.campaign_days d
            where d.account_id = windows.account_id and d.day = windows.day), first_loaded_at)`.as(
            'loaded_at',
          ),
        ])
        .where((where) => where.and({ account_id: accountId, day })),
    )
    .execute();
}
