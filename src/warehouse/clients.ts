import sql, { type Sql } from 'sql-template-tag';
import type { Day } from '../model/day.ts';
import type { ClientRecord } from '../model/records.ts';
import { lockOfAccount } from './account-lock.ts';
import { jsons, numbers, texts } from './array-literal.ts';
import type { Moment } from './moment.ts';
import type { Transaction } from './warehouse.ts';

/** What a load of clients changed. */
export type ClientChanges = {
  readonly appeared: number;
  readonly changed: number;
  readonly returned: number;
  /** Ids of all of these. */
  readonly written: readonly number[];
};

/** Whose clients they are, and the day, in the account's zone, that a changed balance is told on. */
export type ClientSource = { readonly accountId: number; readonly day: Day };

/**
 * Upserts clients, no id twice, with the history of their names and balances, in one statement. A client that didn't
 * change isn't written; one that was absent is the same row again.
 */
export async function upsertClients(
  transaction: Transaction,
  { accountId, day }: ClientSource,
  clients: readonly ClientRecord[],
  at: Moment,
): Promise<ClientChanges> {
  await lockOfAccount(transaction, 'clients', accountId);
  const { rows } = await transaction.query<Omit<ClientChanges, 'written'> & { written: string[] }>(sql`
    with page as (
      select * from ${rowsOf(clients)}
    ), fresh as (
      select p.*, b.client_id is null as appeared, b.absent_since is not null as returned,
        b.client_id is null or b.name is distinct from p.name as renamed,
        p.balance is distinct from b.balance as rebalanced
      from page p
      -- "offset 0" keeps it a look-up for each client: a join would read the whole table for every page.
      left join lateral (
        select * from warehouse.clients c where c.account_id = ${accountId} and c.client_id = p.client_id offset 0
      ) b on true
      where (b.name, b.checksum, b.balance, b.extra) is distinct from (p.name, p.checksum, p.balance, p.extra)
        or b.client_id is null or b.absent_since is not null
    ), inserted as (
      insert into warehouse.clients (account_id, client_id, name, checksum, balance, extra, first_seen_at, changed_at)
      select ${accountId}::integer, client_id, name, checksum, balance, extra, ${at}, ${at} from fresh where appeared
    ), updated as (
      update warehouse.clients c
      set name = f.name, checksum = f.checksum, balance = f.balance, extra = f.extra, absent_since = null,
        changed_at = case
          when (c.name, c.checksum, c.balance, c.extra) is distinct from (f.name, f.checksum, f.balance, f.extra)
          then ${at} else c.changed_at end
      from fresh f
      where not f.appeared and c.account_id = ${accountId} and c.client_id = f.client_id
        -- Said twice, so that it is looked up by the index however little is known of the table.
        and c.client_id = any(array(select client_id from fresh where not appeared))
    ), closed as (
      update warehouse.client_versions set valid_to = ${at}
      where account_id = ${accountId} and valid_to is null
        and client_id = any(array(select client_id from fresh where renamed and not appeared))
    ), opened as (
      insert into warehouse.client_versions (account_id, client_id, name, valid_from)
      select ${accountId}::integer, client_id, name, ${at} from fresh where renamed
    ), first_told as (
      insert into warehouse.client_balances (account_id, client_id, day, balance)
      select ${accountId}::integer, client_id, ${day}::date, balance from fresh where rebalanced and appeared
    ), told as (
      insert into warehouse.client_balances as b (account_id, client_id, day, balance)
      select ${accountId}::integer, client_id, ${day}::date, balance from fresh where rebalanced and not appeared
      on conflict (account_id, client_id, day) do update set balance = excluded.balance
    )
    select count(*) filter (where appeared) as appeared, count(*) filter (where returned) as returned,
      count(*) filter (where not appeared and not returned) as changed,
      coalesce(array_agg(client_id::text), '{}') as written
    from fresh
  `);
  return { ...rows[0]!, written: rows[0]!.written.map(Number) };
}

/** Clients as a table `p` to select from. */
export function rowsOf(clients: readonly ClientRecord[]): Sql {
  return sql`unnest(
    ${numbers(clients.map((client) => client.clientId))}::bigint[],
    ${texts(clients.map((client) => client.name))}::text[],
    ${texts(clients.map((client) => client.checksum))}::text[],
    ${numbers(clients.map((client) => client.balance))}::numeric[],
    ${jsons(clients.map((client) => client.extra))}::jsonb[]
  ) as p (client_id, name, checksum, balance, extra)`;
}
