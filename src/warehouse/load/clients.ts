import { sql } from 'kysely';
import type { ClientRecord } from '../../model/records.ts';
import type { Queries, Transaction } from '../db/database.ts';
import { asExcluded, differs, type Timestamp } from '../db/expressions.ts';
import { lockAccount } from '../ledger/accounts.ts';
import { compare, readCurrent, rowsOf } from './client-rows.ts';
import { type ClientSource, keepPast } from './past-clients.ts';

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

const recordColumns = ['name', 'checksum', 'balance', 'extra'] as const;
const sinceColumns = ['first_seen_at', 'name_since', 'balance_since', 'changed_at'] as const;
const isDifferent = differs('warehouse.clients', recordColumns);

/** Gives the ids of those that Postgres found to differ. */
async function upsert(
  transaction: Transaction,
  { accountId, day }: ClientSource,
  clients: readonly ClientRecord[],
  at: Timestamp,
): Promise<number[]> {
  if (clients.length === 0) return [];
  const rows = await transaction
    .insertInto('warehouse.clients')
    .columns(['client_id', ...recordColumns, 'account_id', ...sinceColumns])
    .expression((eb) =>
      eb
        .selectFrom(rowsOf(clients))
        .selectAll('p')
        .select([
          sql<number>`${accountId}::integer`.as('account_id'),
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

/** Since when a column has its value: since `then`, never earlier than before, where the value is another one now. */
function since(column: 'name' | 'balance', then: unknown) {
  const before = sql.ref(`warehouse.clients.${column}_since`);
  return sql<string>`
    case when ${differs('warehouse.clients', [column])} then greatest(${before}, ${then}) else ${before} end`;
}
