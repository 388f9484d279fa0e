import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { ClientRecord } from '../../model/records.ts';
import { archiveResponses, type Fetch, lockArchivedBodies } from '../archive/archive.ts';
import type { Queries, Transaction, Warehouse } from '../db/database.ts';
import {
  asExcluded,
  differs,
  extraOrNull,
  storedExtra,
  tableOf,
  transactionTime,
} from '../db/expressions.ts';
import { inTransaction } from '../db/transaction.ts';
import { lockAccount } from '../ledger/accounts.ts';

/** A page of clients, to load and archive. */
export type LoadedPage = Pick<Fetch, 'response' | 'fetchedAt' | 'sign'> & {
  readonly records: readonly ClientRecord[];
  /** None of its records can be read: the page is archived but not loaded. */
  readonly unreadable: boolean;
};

/** The account that lists the clients, and the day, in its zone, on which a changed balance was reported. */
export type ClientSource = { readonly accountId: number; readonly day: Day };

export type PageSource = ClientSource & { readonly runId: number; readonly walk: number };

/** Numbers of clients that a load wrote: new ones, absent ones listed again, others whose fields changed. */
export type ClientChanges = {
  readonly appeared: number;
  readonly returned: number;
  readonly changed: number;
};

/** Loads pages of a walk and archives their responses, in one transaction. */
export async function loadClientPages(
  warehouse: Warehouse,
  source: PageSource,
  pages: readonly LoadedPage[],
): Promise<ClientChanges> {
  // If a client is on two pages, the record of the later one counts.
  const records = pages.filter((page) => !page.unreadable).flatMap((page) => page.records);
  const clients = [...new Map(records.map((record) => [record.clientId, record])).values()];
  return await inTransaction(warehouse, async (transaction) => {
    const changes = await upsertClients(transaction, source, clients);
    const responses = pages.map(({ response }) => response);
    const archived = await lockArchivedBodies(transaction, responses);
    const fetches = pages.map(({ response, fetchedAt, sign, unreadable }): Fetch => {
      const decision = unreadable ? 'unreadable' : 'loaded';
      const isBodyArchived = archived.has(response);
      return { ...source, response, fetchedAt, sign, day: null, decision, isBodyArchived };
    });
    await archiveResponses(transaction, fetches);
    return changes;
  });
}

const recordColumns = ['name', 'checksum', 'balance', 'extra'] as const;

/**
 * Upserts clients in one statement; no id may occur twice. Earlier names, balances and absences go to the history, and
 * an unchanged client isn't written. If a name changes twice within one timestamp, or a balance within one
 * day, only the later change counts: the keys of the history stay unique.
 */
export async function upsertClients(
  transaction: Transaction,
  { accountId, day }: ClientSource,
  clients: readonly ClientRecord[],
): Promise<ClientChanges> {
  await lockAccount(transaction, accountId);
  const counted = transaction
    .with('differing', () => differing(transaction, accountId, clients))
    .with('names', (db) =>
      db
        .insertInto('etl.past_client_versions')
        .columns(['account_id', 'client_id', 'name', 'valid_from', 'valid_to'])
        .expression((eb) =>
          eb
            .selectFrom('differing')
            .select(['known_account', 'client_id', 'known_name', 'named_at', transactionTime.as('valid_to')])
            .whereRef('known_name', 'is distinct from', 'name')
            .where('named_at', '<', transactionTime),
        ),
    )
    .with('balances', (db) =>
      db
        .insertInto('etl.past_client_balances')
        .columns(['account_id', 'client_id', 'day', 'balance', 'next_day', 'replaced_at'])
        .expression((eb) =>
          eb
            .selectFrom('differing')
            .select([
              'known_account',
              'client_id',
              'balance_first_day',
              'known_balance',
              sql<string>`${day}::date`.as('next_day'),
              transactionTime.as('replaced_at'),
            ])
            .whereRef('known_balance', 'is distinct from', 'balance')
            .where('balance_first_day', '<', day),
        ),
    )
    .with('absences', (db) =>
      db
        .insertInto('etl.past_client_absences')
        .columns(['account_id', 'client_id', 'absent_at', 'returned_at'])
        .expression((eb) =>
          eb
            .selectFrom('differing')
            .select(['known_account', 'client_id', 'absent_at', transactionTime.as('returned_at')])
            .where('absent_at', 'is not', null),
        ),
    )
    .with('upserted', (db) =>
      db
        .insertInto('warehouse.clients')
        .columns([
          'client_id',
          ...recordColumns,
          'account_id',
          'first_seen_at',
          'balance_first_day',
          'updated_at',
        ])
        .expression((eb) =>
          eb
            .selectFrom('differing')
            .select([
              'client_id',
              ...recordColumns,
              sql<number>`${accountId}::integer`.as('account_id'),
              transactionTime.as('first_seen_at'),
              sql<string>`case when balance is not null then ${day}::date end`.as('balance_first_day'),
              transactionTime.as('updated_at'),
            ]),
        )
        .onConflict((conflict) =>
          conflict.columns(['account_id', 'client_id']).doUpdateSet({
            ...asExcluded(recordColumns),
            renamed_at: sql`case when ${differs('warehouse.clients', ['name'])}
              then greatest(warehouse.clients.renamed_at, excluded.updated_at) else warehouse.clients.renamed_at end`,
            balance_first_day: sql`case when ${differs('warehouse.clients', ['balance'])}
              then greatest(warehouse.clients.balance_first_day, ${day}::date)
              else warehouse.clients.balance_first_day end`,
            updated_at: sql`excluded.updated_at`,
            absent_at: null,
          }),
        ),
    );
  return await counted.selectFrom('differing').select(counts).executeTakeFirstOrThrow();
}

/** Counts clients that are new, listed again or changed. `accountId` is null if there is no account yet. */
export async function compareClients(
  warehouse: Queries,
  accountId: number | null,
  clients: readonly ClientRecord[],
): Promise<ClientChanges> {
  return await warehouse
    .with('differing', () => differing(warehouse, accountId, clients))
    .selectFrom('differing')
    .select(counts)
    .executeTakeFirstOrThrow();
}

/** Selects the clients that are new, absent or changed, each with its current row. */
function differing(queries: Queries, accountId: number | null, clients: readonly ClientRecord[]) {
  const given = tableOf(clients, 'g', {
    client_id: ['bigint', (client) => client.clientId],
    name: ['text', (client) => client.name],
    checksum: ['text', (client) => client.checksum],
    balance: ['numeric', (client) => client.balance],
    extra: ['jsonb', (client) => extraOrNull(client.extra)],
  });
  const listed = queries
    .selectFrom(given)
    .select(['client_id', 'name', 'checksum', 'balance', storedExtra('g').as('extra')])
    .as('p');
  const of = (table: string) => sql.join(recordColumns.map((column) => sql.ref(`${table}.${column}`)));
  return queries
    .selectFrom(listed)
    .leftJoinLateral(
      // The offset makes Postgres look up each client by its key, however many the account has.
      (eb) =>
        eb
          .selectFrom('warehouse.clients as c')
          .selectAll()
          .where('c.account_id', '=', accountId)
          .whereRef('c.client_id', '=', 'p.client_id')
          .offset(0)
          .as('k'),
      (join) => join.onTrue(),
    )
    .selectAll('p')
    .select([
      'k.account_id as known_account',
      'k.name as known_name',
      'k.balance as known_balance',
      sql<string>`coalesce(k.renamed_at, k.first_seen_at)`.as('named_at'),
      'k.balance_first_day',
      'k.absent_at',
    ])
    .where((eb) =>
      eb.or([
        eb('k.client_id', 'is', null),
        eb('k.absent_at', 'is not', null),
        sql<boolean>`(${of('p')}) is distinct from (${of('k')})`,
      ]),
    );
}

const counts = [
  sql<number>`count(*) filter (where known_account is null)`.as('appeared'),
  sql<number>`count(*) filter (where absent_at is not null)`.as('returned'),
  sql<number>`count(*) filter (where known_account is not null and absent_at is null)`.as('changed'),
] as const;
