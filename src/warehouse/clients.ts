import { sql } from 'kysely';
import type { ClientRecord } from '../model/records.ts';
import type { Warehouse } from './tables.ts';

/** Upserts one page of clients; a client that didn't change isn't written. Gives how many were. */
export async function upsertClients(
  warehouse: Warehouse,
  accountId: number,
  clients: readonly ClientRecord[],
): Promise<number> {
  if (clients.length === 0) return 0;
  const { numAffectedRows } = await sql`
    insert into warehouse.clients as c
      (account_id, client_id, name, checksum, balance, extra, first_seen_at, changed_at)
    select ${accountId}::integer, client_id, name, checksum, balance, extra, now(), now()
    from unnest(
      ${clients.map((client) => client.clientId)}::bigint[],
      ${clients.map((client) => client.name)}::text[],
      ${clients.map((client) => client.checksum)}::text[],
      ${clients.map((client) => client.balance)}::numeric[],
      ${clients.map((client) => JSON.stringify(client.extra))}::jsonb[]
    ) as page (client_id, name, checksum, balance, extra)
    on conflict (account_id, client_id) do update
      set name = excluded.name, checksum = excluded.checksum, balance = excluded.balance,
        extra = excluded.extra, changed_at = excluded.changed_at
      where (c.name, c.checksum, c.balance, c.extra)
        is distinct from (excluded.name, excluded.checksum, excluded.balance, excluded.extra)
  `.execute(warehouse);
  return Number(numAffectedRows ?? 0);
}

/**
 * Notes that a walk saw the whole list.
 * A second walk of the same night that changed nothing leaves the row as it is.
 */
export async function noteCompleteWalk(
  warehouse: Warehouse,
  accountId: number,
  walk: { readonly startedAt: string; readonly timeZone: string; readonly changed: boolean },
): Promise<void> {
  await sql`
    update warehouse.accounts
    set clients_walked_at = ${walk.startedAt}::timestamptz
    where account_id = ${accountId}
      and (${walk.changed}::boolean or clients_walked_at is null
        or (clients_walked_at at time zone ${walk.timeZone})::date
          < (${walk.startedAt}::timestamptz at time zone ${walk.timeZone})::date)
  `.execute(warehouse);
}
