import { sql } from 'kysely';
import type { Account } from '../model/account.ts';
import type { Day } from '../model/day.ts';
import type { Warehouse } from './tables.ts';

/** Keys of the accounts in the warehouse, by name. */
export type AccountIds = ReadonlyMap<string, number>;

/** Brings `warehouse.accounts` in line with the settings; an account that didn't change isn't written. */
export async function syncAccounts(warehouse: Warehouse, accounts: readonly Account[]): Promise<AccountIds> {
  return await warehouse.transaction().execute(async (transaction) => {
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
    const rows = await transaction.selectFrom('warehouse.accounts').select(['account_id', 'name']).execute();
    return new Map(rows.map((row) => [row.name, row.account_id]));
  });
}

/** Makes `day` a day that ought to be loaded: an account's `since` is never later than what was asked for. */
export async function expectSince(warehouse: Warehouse, accountId: number, day: Day): Promise<void> {
  await warehouse
    .updateTable('warehouse.accounts')
    .set({ since: day })
    .where('account_id', '=', accountId)
    .where((where) => where.or([where('since', 'is', null), where('since', '>', day)]))
    .execute();
}
