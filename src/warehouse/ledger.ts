import type { Day } from '../model/day.ts';
import type { LedgerEntry } from '../model/window.ts';
import type { Warehouse } from './tables.ts';

/** The ledger from `since` on, of the accounts that are in the settings. */
export async function readLedger(warehouse: Warehouse, since: Day): Promise<LedgerEntry[]> {
  return await warehouse
    .selectFrom('etl.windows as w')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'w.account_id')
    .select((column) => [
      'a.name as account',
      'w.day',
      'w.state',
      'w.pulled_night as pulledNight',
      'w.same_since_night as sameSinceNight',
      column('w.failed_at', 'is not', null).$castTo<boolean>().as('failed'),
      column('w.held_hash', 'is not', null).$castTo<boolean>().as('held'),
    ])
    .where('w.day', '>=', since)
    .where('a.until', 'is', null)
    .execute();
}

/** Whether a window is loaded by now. */
export async function isLoaded(warehouse: Warehouse, accountId: number, day: Day): Promise<boolean> {
  const rows = await warehouse
    .selectFrom('etl.windows')
    .select('state')
    .where('account_id', '=', accountId)
    .where('day', '=', day)
    .where('state', '=', 'loaded')
    .execute();
  return rows.length > 0;
}

/** Names of the accounts of which a newer answer for `day` is held back. */
export async function heldAccounts(warehouse: Warehouse, day: Day): Promise<string[]> {
  const rows = await warehouse
    .selectFrom('etl.windows as w')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'w.account_id')
    .select('a.name')
    .where('w.day', '=', day)
    .where('w.held_hash', 'is not', null)
    .execute();
  return rows.map((row) => row.name);
}
