import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { ClientRecord } from '../../model/records.ts';
import type { Queries, Transaction } from '../db/database.ts';
import { asExcluded, differs } from '../db/expressions.ts';
import type { Timestamp } from '../db/timestamp.ts';
import { lockAccount } from '../ledger/account-lock.ts';
import { rowsOf } from './client-rows.ts';
import { type ClientSource, type CurrentClient, keepPast } from './past-clients.ts';

/** What a load of clients changed. */
export type ClientChanges = {
  readonly appeared: number;
  readonly changed: number;
  readonly returned: number;
  /** Ids of all of these. */
  readonly written: readonly number[];
};

/**
 * Upserts clients, no id twice, and keeps the names and balances that are past. A client that didn't change isn't
 * written; one that was absent is the same row again.
 */
export async function upsertClients(
  transaction: Transaction,
  source: ClientSource,
  clients: readonly ClientRecord[],
  at: Timestamp,
): Promise<ClientChanges> {
  await lockAccount(transaction, source.accountId);
  const current = await readCurrent(transaction, source.accountId, clients);
  const { appeared, known } = compare(clients, current);
  await keepPast(transaction, source, known, current, at);
  const written = await upsert(transaction, source, [...appeared, ...known], at);
  const returned = known.filter(({ clientId }) => current.get(clientId)!.absentSince !== null).length;
  return {
    appeared: appeared.length,
    changed: written.length - appeared.length - returned,
    returned,
    written,
  };
}

/** How many clients are new, and how many differ; reads only. Null is an account that isn't there yet. */
export async function compareClients(
  warehouse: Queries,
  accountId: number | null,
  clients: readonly ClientRecord[],
): Promise<{ readonly appeared: number; readonly changed: number }> {
  if (accountId === null) return { appeared: clients.length, changed: 0 };
  const { appeared, known } = compare(clients, await readCurrent(warehouse, accountId, clients));
  return { appeared: appeared.length, changed: known.length };
}

async function readCurrent(
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

/** Clients that are new, and those that are known and differ. Numbers written otherwise differ here, and not in Postgres. */
function compare(
  clients: readonly ClientRecord[],
  current: ReadonlyMap<number, CurrentClient>,
): { readonly appeared: readonly ClientRecord[]; readonly known: readonly ClientRecord[] } {
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

const recordColumns = ['name', 'checksum', 'balance', 'extra'] as const;

/** Gives the ids of those that Postgres found to differ. */
async function upsert(
  transaction: Transaction,
  { accountId, day }: ClientSource,
  clients: readonly ClientRecord[],
  at: Timestamp,
): Promise<number[]> {
  if (clients.length === 0) return [];
  const isDifferent = differs('warehouse.clients', recordColumns);
  const since = (column: string, then: unknown) => sql<string>`
    case when ${differs('warehouse.clients', [column])}
      then greatest(${sql.ref(`warehouse.clients.${column}_since`)}, ${then})
      else ${sql.ref(`warehouse.clients.${column}_since`)} end`;
  const rows = await transaction
    .insertInto('warehouse.clients')
    .columns([
      'account_id',
      'client_id',
      ...recordColumns,
      'first_seen_at',
      'name_since',
      'balance_since',
      'changed_at',
    ])
    .expression((eb) =>
      eb
        .selectFrom(rowsOf(clients))
        .select([
          sql<number>`${accountId}::integer`.as('account_id'),
          'p.client_id',
          'p.name',
          'p.checksum',
          'p.balance',
          'p.extra',
          at.as('first_seen_at'),
          at.as('name_since'),
          sql<string>`case when p.balance is not null then ${day}::date end`.as('balance_since'),
          at.as('changed_at'),
        ]),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'client_id'])
        .doUpdateSet({
          ...asExcluded(recordColumns),
          name_since: since('name', at),
          balance_since: since('balance', sql`${day}::date`),
          changed_at: sql`case when ${isDifferent} then excluded.changed_at else warehouse.clients.changed_at end`,
          absent_since: null,
        })
        .where((eb) => eb.or([isDifferent, eb('warehouse.clients.absent_since', 'is not', null)])),
    )
    .returning('client_id')
    .execute();
  return rows.map((row) => row.client_id);
}
