import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { ClientRecord } from '../../model/records.ts';
import type { Queries } from '../db/database.ts';
import { tableOf } from '../db/expressions.ts';

/** A client as the warehouse has it. */
export type CurrentClient = ClientRecord & { readonly absentSince: string | null };

/** Clients as a table `p` to select from. */
export function rowsOf(clients: readonly ClientRecord[]) {
  return tableOf(clients, 'p', {
    client_id: ['bigint', (client) => client.clientId],
    name: ['text', (client) => client.name],
    checksum: ['text', (client) => client.checksum],
    balance: ['numeric', (client) => client.balance],
    extra: ['jsonb', (client) => JSON.stringify(client.extra)],
  });
}

/** The current rows of these clients, by id. */
export async function readCurrent(
  queries: Queries,
  accountId: number,
  clients: readonly ClientRecord[],
): Promise<ReadonlyMap<number, CurrentClient>> {
  // Behind a select: Postgres takes it for few ids then, and looks each up instead of reading the whole account.
  const ids = sql<number>`any((select ${clients.map((client) => client.clientId)}::bigint[])::bigint[])`;
  const rows = await queries
    .selectFrom('warehouse.clients')
    .select(['client_id as clientId', 'name', 'checksum', 'balance', 'extra', 'absent_since as absentSince'])
    .where('account_id', '=', accountId)
    .where('client_id', '=', ids)
    .execute();
  return new Map(rows.map((row) => [row.clientId, row]));
}

/** Clients that are new, and those that are known and differ. */
export type ClientComparison = {
  readonly appeared: readonly ClientRecord[];
  readonly known: readonly ClientRecord[];
};

/** Numbers written otherwise differ here, and not in Postgres. */
export function compare(
  clients: readonly ClientRecord[],
  current: ReadonlyMap<number, CurrentClient>,
): ClientComparison {
  const appeared: ClientRecord[] = [];
  const known: ClientRecord[] = [];
  for (const client of clients) {
    const row = current.get(client.clientId);
    if (row === undefined) appeared.push(client);
    else if (row.absentSince !== null || isChanged(row, client)) known.push(client);
  }
  return { appeared, known };
}

function isChanged(row: CurrentClient, client: ClientRecord): boolean {
  return (
    row.name !== client.name ||
    row.checksum !== client.checksum ||
    row.balance !== client.balance ||
    !isDeepStrictEqual(row.extra, client.extra)
  );
}
