import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { LedgerEntry } from '../../model/window.ts';
import type { Queries } from '../db/database.ts';

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
      'w.same_since_run_date as sameSinceRunDate',
      'w.catch_up_left as catchUpLeft',
      sql<boolean>`w.failed_at is not null`.as('failed'),
      sql<boolean>`w.held_hash is not null`.as('held'),
      'w.over as isOver',
    ])
    .where('w.day', '>=', since)
    .where('a.until', 'is', null)
    .execute();
}

/** Returns whether a run other than this one has loaded a window by now. */
export async function isLoadedByOther(
  queries: Queries,
  runId: number,
  accountId: number,
  day: Day,
): Promise<boolean> {
  const loaded = await queries
    .selectFrom('etl.windows')
    .select('run_id')
    .where((eb) => eb.and({ account_id: accountId, day, state: 'loaded' }))
    .where('run_id', 'is distinct from', runId)
    .executeTakeFirst();
  return loaded !== undefined;
}

/** Returns the names of the accounts that have a held response for `day`. */
export async function heldAccounts(queries: Queries, day: Day): Promise<string[]> {
  const held = await queries
    .selectFrom('etl.windows as w')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'w.account_id')
    .select('a.name')
    .where('w.day', '=', day)
    .where('w.held_hash', 'is not', null)
    .execute();
  return held.map(({ name }) => name);
}
