import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { LedgerEntry, Window } from '../../model/window.ts';
import type { Queries } from '../db/database.ts';
import { anyOf, tableOf } from '../db/expressions.ts';
import type { WindowKey } from './window-entry.ts';

/** Reads the ledger from `since` on, of the accounts that have not retired. */
export async function readLedger(queries: Queries, since: Day): Promise<LedgerEntry[]> {
  return await queries
    .selectFrom('etl.windows as w')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'w.account_id')
    .select([
      'a.name as account',
      'w.day',
      'w.state',
      'w.synced_run_date as syncedRunDate',
      'w.settled as isSettled',
      sql<boolean>`w.failed_at is not null`.as('failed'),
      'w.failed_run_date as failedRunDate',
      'w.error_sign as errorSign',
      sql<boolean>`w.held_hash is not null`.as('held'),
      'w.day_ended as isOver',
    ])
    .where('w.day', '>=', since)
    .where('a.last_expected_day', 'is', null)
    .execute();
}

/** Returns those of the windows for which a run of this run date got a response that is held. */
export async function readHeldOn(
  queries: Queries,
  runDate: Day,
  windows: readonly Window[],
): Promise<Window[]> {
  const requested = tableOf(windows, 'q', {
    account: ['text', ({ account }) => account],
    day: ['date', ({ day }) => day],
  });
  const { rows } = await sql<Window>`
    select q.account, q.day
    from ${requested}
    join warehouse.accounts a on a.name = q.account
    join etl.windows w on w.account_id = a.account_id and w.day = q.day
    where w.held_hash is not null and w.failed_at is null and w.synced_run_date = ${runDate}::date
  `.execute(queries);
  return rows;
}

/** Returns whether another run has loaded a window by now, or `forget` has erased its account. */
export async function isAlreadyLoaded(
  queries: Queries,
  runId: number,
  accountId: number,
  day: Day,
): Promise<boolean> {
  const missing = await queries
    .selectFrom('warehouse.accounts as a')
    .leftJoin('etl.windows as w', (join) =>
      join
        .onRef('w.account_id', '=', 'a.account_id')
        .on('w.day', '=', day)
        .on('w.state', '=', 'loaded')
        .on('w.held_hash', 'is', null)
        .on('w.run_id', 'is distinct from', runId),
    )
    .select('a.account_id')
    .where('a.account_id', '=', accountId)
    .where('w.day', 'is', null)
    .executeTakeFirst();
  return missing === undefined;
}

/**
 * Returns the windows on these days that a person may accept, oldest first: they hold a response, are provisional though the day is
 * over, or got an answer without records that the document doesn't show.
 */
export async function readUnconfirmed(queries: Queries, days: readonly Day[]): Promise<Window[]> {
  return await queries
    .selectFrom('etl.windows as w')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'w.account_id')
    .select(['a.name as account', 'w.day'])
    .where('w.day', '=', anyOf(days))
    .where((eb) =>
      eb.or([
        eb('w.held_hash', 'is not', null),
        eb.and([eb('w.state', '=', 'provisional'), eb('w.day_ended', '=', true)]),
        eb('w.error_sign', 'is not', null),
      ]),
    )
    .orderBy('w.day')
    .orderBy('a.name')
    .execute();
}

/**
 * Marks those of these windows as dismissed that aren't loaded, until they are: `complete_through_day` passes over them.
 */
export async function dismissWindows(warehouse: Queries, windows: readonly WindowKey[]): Promise<void> {
  const dismissed = tableOf(windows, 'd', {
    account_id: ['integer', ({ accountId }) => accountId],
    day: ['date', ({ day }) => day],
  });
  await sql`
    insert into etl.windows as w (account_id, day, state, dismissed_at)
    select account_id, d.day, 'failed', now() from ${dismissed} join warehouse.accounts using (account_id)
    on conflict (account_id, day) do update set dismissed_at = excluded.dismissed_at
      where w.state = 'failed' and w.dismissed_at is null
  `.execute(warehouse);
}

/** Returns whether a run of this run date has synced a window of an account that has not retired. */
export async function hasSynced(queries: Queries, runDate: Day): Promise<boolean> {
  const synced = await queries
    .selectFrom('etl.windows as w')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'w.account_id')
    .select('w.day')
    .where('w.synced_run_date', '=', runDate)
    .where('w.failed_at', 'is', null)
    .where('a.last_expected_day', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return synced !== undefined;
}
