import type { ClientRecord, ServiceResponse } from '../../model/records.ts';
import { keepFetches } from '../archive/archive.ts';
import type { Warehouse } from '../db/database.ts';
import { transactionTime } from '../db/timestamp.ts';
import { inTransaction } from '../db/transaction.ts';
import { type ClientChanges, upsertClients } from './clients.ts';
import type { ClientSource } from './past-clients.ts';

/** A page of clients as it is loaded and archived. */
export type LoadedPage = {
  readonly records: readonly ClientRecord[];
  /** Over half of it can't be read: archived, and left out. */
  readonly unreadable: boolean;
  readonly response: ServiceResponse;
  readonly fetchedAt: string;
};

export type PageSource = ClientSource & { readonly runId: number; readonly walk: number };

/** Loads pages of a walk and archives their responses, in one transaction. */
export async function loadClientPages(
  warehouse: Warehouse,
  source: PageSource,
  pages: readonly LoadedPage[],
): Promise<ClientChanges> {
  const clients = newestOfEach(pages.filter((page) => !page.unreadable));
  return await inTransaction(warehouse, async (transaction) => {
    const changes = await upsertClients(transaction, source, [...clients.values()], transactionTime);
    const written = new Set(changes.written);
    const fetches = pages.map((page) => ({
      runId: source.runId,
      accountId: source.accountId,
      walk: source.walk,
      day: null,
      response: page.response,
      fetchedAt: page.fetchedAt,
      decision: page.unreadable ? ('unreadable' as const) : ('loaded' as const),
      writtenIds: page.records
        .filter((record) => clients.get(record.clientId) === record && written.has(record.clientId))
        .map((record) => record.clientId),
    }));
    await keepFetches(transaction, fetches);
    return changes;
  });
}

/** Of a client that is on two pages, the record of the later one: as if they were loaded one by one. */
export function newestOfEach(pages: readonly Pick<LoadedPage, 'records'>[]): Map<number, ClientRecord> {
  return new Map(pages.flatMap(({ records }) => records.map((record) => [record.clientId, record])));
}
