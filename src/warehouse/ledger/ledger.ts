import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { SuspiciousDay } from '../../model/digest.ts';
import type { LedgerEntry } from '../../model/window.ts';
import type { Queries } from '../db/database.ts';

/** The ledger from `since` on, of the accounts that are in the settings. */
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
    ])
    .where('w.day', '>=', since)
    .where('a.until', 'is', null)
    .execute();
}

/** Whether a window is loaded by now, by another run than this one. */
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

/** Names of the accounts of which a newer response for `day` is held. */
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

/** A loaded window whose response may be wrong. */
export type SuspiciousWindow = SuspiciousDay & { readonly account: string };

/**
 * Windows from `since` on whose response may be wrong, until their counts were the same on two run dates: then the
 * service has said it twice, and a person was alerted twice. Days without calls are in the digest alone.
 */
export async function suspiciousWindows(queries: Queries, since: Day): Promise<SuspiciousWindow[]> {
  return await queries
    .selectFrom('etl.suspicious_windows as s')
    .innerJoin('etl.windows as w', (join) =>
      join.onRef('w.account_id', '=', 's.account_id').onRef('w.day', '=', 's.day'),
    )
    .innerJoin('warehouse.accounts as a', 'a.account_id', 's.account_id')
    .select(['a.name as account', 's.day', 's.reason', 's.detail'])
    .where('s.day', '>=', since)
    .where('s.reason', '<>', 'no calls')
    .where('a.until', 'is', null)
    .whereRef('w.synced_run_date', '=', 'w.same_since_run_date')
    .orderBy('s.day')
    .orderBy('a.name')
    .orderBy('s.reason')
    .execute();
}
