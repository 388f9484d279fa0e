import sql from 'sql-template-tag';
import type { Day } from '../model/day.ts';
import type { LedgerEntry } from '../model/window.ts';
import type { Queries } from './warehouse.ts';

/** The ledger from `since` on, of the accounts that are in the settings. */
export async function readLedger(warehouse: Queries, since: Day): Promise<LedgerEntry[]> {
  const { rows } = await warehouse.query<LedgerEntry>(sql`
    select a.name as account, w.day, w.state, w.pulled_night as "pulledNight",
      w.same_since_night as "sameSinceNight", w.failed_at is not null as failed, w.held_hash is not null as held
    from etl.windows w join warehouse.accounts a using (account_id)
    where w.day >= ${since} and a.until is null
  `);
  return rows;
}

/** Whether a window is loaded by now, by another run than this one. */
export async function isLoadedByOther(
  warehouse: Queries,
  runId: number,
  accountId: number,
  day: Day,
): Promise<boolean> {
  const { rowCount } = await warehouse.query(sql`
    select from etl.windows
    where account_id = ${accountId} and day = ${day} and state = 'loaded' and run_id is distinct from ${runId}
  `);
  return rowCount > 0;
}

/** Names of the accounts of which a newer answer for `day` is held back. */
export async function heldAccounts(warehouse: Queries, day: Day): Promise<string[]> {
  const { rows } = await warehouse.query<{ name: string }>(sql`
    select a.name from etl.windows w join warehouse.accounts a using (account_id)
    where w.day = ${day} and w.held_hash is not null
  `);
  return rows.map((row) => row.name);
}
