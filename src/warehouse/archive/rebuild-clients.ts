import type { ClientRecord } from '../../model/records.ts';
import type { Queries, Transaction, Warehouse } from '../db/database.ts';
import { recordedTime } from '../db/expressions.ts';
import { inTransaction } from '../db/transaction.ts';
import { applyCompleteWalk } from '../load/client-walks.ts';
import { upsertClients } from '../load/clients.ts';
import type { ArchivedWalk } from './read-archive.ts';
import { recordWrittenIds } from './reread-pages.ts';

/** An archived walk, parsed again. */
export type DecidedWalk = ArchivedWalk & {
  loads(reader: Queries): AsyncGenerator<DecidedLoad, void>;
};

/** Pages that were loaded in one transaction: their clients, no id twice, and what else they listed. */
export type DecidedLoad = {
  readonly decidedAt: string;
  readonly clients: readonly ClientRecord[];
  /** Ids of all records, readable or not; null where the id of one can't be read. */
  readonly listed: readonly number[] | null;
  /** Those of the pages that are loaded for the first time, and the ids of their clients. */
  readonly reread: readonly { readonly id: number; readonly clientIds: readonly number[] }[];
};

/**
 * Rebuilds the clients of an account from all of its walks, oldest first, in one transaction: their rows, names
 * and balances over time, and who is absent.
 *
 * @param read gives the walks; called inside, so that what it decides anew is recorded with what it changes
 */
export async function rebuildClients(
  warehouse: Warehouse,
  accountId: number,
  read: (transaction: Transaction) => Promise<readonly DecidedWalk[]>,
): Promise<void> {
  await inTransaction(warehouse, async (transaction) => {
    const walks = await read(transaction);
    if (walks.length === 0) return;
    await clearClients(transaction, accountId);
    for (const walk of walks) await applyWalk(transaction, walk);
  });
}

async function applyWalk(transaction: Transaction, walk: DecidedWalk): Promise<void> {
  const { accountId, day } = walk;
  const listed = new Set<number>();
  let everyIdIsKnown = true;
  for await (const load of walk.loads(transaction)) {
    const at = recordedTime(load.decidedAt);
    const { written } = await upsertClients(transaction, { accountId, day }, load.clients, at);
    await recordReread(transaction, load.reread, written);
    if (load.listed === null) everyIdIsKnown = false;
    else for (const id of load.listed) listed.add(id);
  }
  if (walk.complete) await applyCompleteWalk(transaction, walk, everyIdIsKnown ? listed : null);
}

async function recordReread(
  transaction: Transaction,
  pages: DecidedLoad['reread'],
  written: readonly number[],
): Promise<void> {
  if (pages.length === 0) return;
  const ids = new Set(written);
  for (const { id, clientIds } of pages)
    await recordWrittenIds(
      transaction,
      id,
      clientIds.filter((clientId) => ids.has(clientId)),
    );
}

const clientTables = [
  'etl.client_absences',
  'etl.past_client_balances',
  'etl.past_client_versions',
  'warehouse.clients',
] as const;

async function clearClients(transaction: Transaction, accountId: number): Promise<void> {
  for (const table of clientTables)
    await transaction.deleteFrom(table).where('account_id', '=', accountId).execute();
}
