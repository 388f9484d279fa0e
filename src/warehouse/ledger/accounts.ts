import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Account } from '../../model/records.ts';
import type { Queries, Transaction, Warehouse } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';

/** An account's key, and the first day that is expected to be loaded of it; null before its first run. */
export type AccountRow = { readonly id: number; readonly name: string; readonly since: Day | null };

/**
 * Brings `warehouse.accounts` in line with the settings; an account that didn't change isn't written.
 * One that is gone retires with its last loaded day, so that no gap grows behind it; one that comes back goes on.
 */
export async function syncAccounts(
  warehouse: Warehouse,
  accounts: readonly Account[],
): Promise<AccountRow[]> {
  return await inTransaction(warehouse, async (transaction) => {
    await upsertAccounts(transaction, accounts);
    await linkClients(transaction, accounts);
    await retireOthers(transaction, accounts);
    return await readAccounts(transaction);
  });
}

/** The accounts that have not retired. */
export async function readAccounts(warehouse: Queries): Promise<AccountRow[]> {
  return await warehouse
    .selectFrom('warehouse.accounts')
    .select(['account_id as id', 'name', 'since'])
    .where('until', 'is', null)
    .execute();
}

async function upsertAccounts(transaction: Transaction, accounts: readonly Account[]): Promise<void> {
  await sql`
    insert into warehouse.accounts as a (name, label, time_zone)
    select * from unnest(
      ${accounts.map((account) => account.name)}::text[],
      ${accounts.map((account) => account.label)}::text[],
      ${accounts.map((account) => account.timeZone)}::text[])
    on conflict (name) do update
      set label = excluded.label, time_zone = excluded.time_zone, until = null
      where (a.label, a.time_zone) is distinct from (excluded.label, excluded.time_zone) or a.until is not null
  `.execute(transaction);
}

async function linkClients(transaction: Transaction, accounts: readonly Account[]): Promise<void> {
  await sql`
    update warehouse.accounts a
    set client_account_id = l.client_account_id, client_id = s.client_id
    from unnest(
      ${accounts.map((account) => account.name)}::text[],
      ${accounts.map((account) => account.client?.account ?? null)}::text[],
      ${accounts.map((account) => account.client?.id ?? null)}::bigint[]) s (name, list, client_id)
    left join lateral (
      select account_id as client_account_id from warehouse.accounts where name = s.list) l on true
    where a.name = s.name
      and (a.client_account_id, a.client_id) is distinct from (l.client_account_id, s.client_id)
  `.execute(transaction);
}

async function retireOthers(transaction: Transaction, accounts: readonly Account[]): Promise<void> {
  const names = accounts.map(({ name }) => name);
  await transaction
    .updateTable('warehouse.accounts as a')
    .set('until', (eb) => {
      const lastLoadedDay = eb
        .selectFrom('etl.windows as w')
        .select(({ fn }) => fn.max('w.day').as('day'))
        .whereRef('w.account_id', '=', 'a.account_id')
        .where('w.state', '<>', 'failed');
      return eb.fn.coalesce(lastLoadedDay, 'a.since', eb.val('-infinity'));
    })
    .where('a.until', 'is', null)
    .where('a.name', '<>', sql<string>`all(${names}::text[])`)
    .execute();
}

/** Makes `day` a day that is expected to be loaded: an account's `since` is never later than what was requested. */
export async function expectSince(warehouse: Queries, accountId: number, day: Day): Promise<void> {
  await warehouse
    .updateTable('warehouse.accounts')
    .set('since', day)
    .where('account_id', '=', accountId)
    .where((eb) => eb.or([eb('since', 'is', null), eb('since', '>', day)]))
    .execute();
}
