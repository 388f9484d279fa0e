import { sql } from 'kysely';
import type { ClientRecord } from '../../model/records.ts';
import { jsons, numbers, texts } from '../db/array-literal.ts';

type PageRow = {
  client_id: number;
  name: string | null;
  checksum: string | null;
  balance: string | null;
  extra: string;
};

/** Clients as a table `p` to select from. */
export function rowsOf(clients: readonly ClientRecord[]) {
  return sql<PageRow>`unnest(
    ${numbers(clients.map((client) => client.clientId))}::bigint[],
    ${texts(clients.map((client) => client.name))}::text[],
    ${texts(clients.map((client) => client.checksum))}::text[],
    ${numbers(clients.map((client) => client.balance))}::numeric[],
    ${jsons(clients.map((client) => client.extra))}::jsonb[])`.as<'p'>(
    sql`p (client_id, name, checksum, balance, extra)`,
  );
}
