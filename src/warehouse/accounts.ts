import sql from 'sql-template-tag';
import type { Account } from '../model/account.ts';
import type { Day } from '../model/day.ts';
import { inTransaction } from './transaction.ts';
import type { Queries, Transaction, Warehouse } from './warehouse.ts';

/** An account's key, and the first day that ought to be loaded of it; null before its first run. */
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
  const { rows } = await warehouse.query<AccountRow>(sql`
    select account_id as id, name, since from warehouse.accounts where until is null
  `);
  return rows;
}

async function upsertAccounts(transaction: Transaction, accounts: readonly Account[]): Promise<void> {
  await transaction.query(sql`
    insert into warehouse.accounts as a (name, label, time_zone)
    select * from unnest(
      ${accounts.map((account) => account.name)}::text[],
      ${accounts.map((account) => account.label)}::text[],
      ${accounts.map((account) => account.timeZone)}::text[])
    on conflict (name) do update
      set label = excluded.label, time_zone = excluded.time_zone, until = null
      where (a.label, a.time_zone) is distinct from (excluded.label, excluded.time_zone) or a.until is not null
  `);
}

async function linkClients(transaction: Transaction, accounts: readonly Account[]): Promise<void> {
  await transaction.query(sql`
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
  `);
}

async function retireOthers(transaction: Transaction, accounts: readonly Account[]): Promise<void> {
  await transaction.query(sql`
    update warehouse.accounts a
    set until = coalesce(
      (select max(day) from etl.windows w where w.account_id = a.account_id and w.state <> 'failed'), a.since, '-infinity')
    where until is null and name <> all(${accounts.map((account) => account.name)}::text[])
  `);
}

/** Makes `day` a day that ought to be loaded: an account's `since` is never later than what was asked for. */
export async function expectSince(warehouse: Queries, accountId: number, day: Day): Promise<void> {
  await warehouse.query(sql`
    update warehouse.accounts set since = ${day}
    where account_id = ${accountId} and (since is null or since > ${day})
  `);
}
