import sql from 'sql-template-tag';
import type { ClientRecord } from '../model/records.ts';
import { rowsOf } from './clients.ts';
import type { Queries } from './warehouse.ts';

/** How many clients of a page are new, and how many differ; reads only. Null is an account that isn't there yet. */
export async function compareClients(
  warehouse: Queries,
  accountId: number | null,
  clients: readonly ClientRecord[],
): Promise<{ readonly appeared: number; readonly changed: number }> {
  const { rows } = await warehouse.query<{ appeared: number; changed: number }>(sql`
    select count(*) filter (where c.client_id is null) as appeared,
      count(*) filter (where c.client_id is not null and (
        (c.name, c.checksum, c.balance, c.extra) is distinct from (p.name, p.checksum, p.balance, p.extra)
        or c.absent_since is not null)) as changed
    from ${rowsOf(clients)}
    left join warehouse.clients c on c.account_id = ${accountId} and c.client_id = p.client_id
  `);
  return rows[0]!;
}
