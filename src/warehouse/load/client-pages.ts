import type { ClientRecord } from '../../model/records.ts';
import { type Fetch, keepFetches } from '../archive/archive.ts';
import type { Warehouse } from '../db/database.ts';
import { transactionTime } from '../db/expressions.ts';
import { inTransaction } from '../db/transaction.ts';
import { type ClientChanges, upsertClients } from './clients.ts';
import type { ClientSource } from './past-clients.ts';

/** A page of clients as it is loaded and archived. */
export type LoadedPage = Pick<Fetch, 'response' | 'fetchedAt'> & {
  readonly records: readonly ClientRecord[];
  /** Over half of it can't be read: archived, and left out. */
  readonly unreadable: boolean;
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
    const fetches = pages.map(({ records, unreadable, ...page }): Fetch => {
      const loaded = records.filter((record) => clients.get(record.clientId) === record);
      return {
        ...source,
        ...page,
        day: null,
        decision: unreadable ? 'unreadable' : 'loaded',
        writtenIds: loaded.map((record) => record.clientId).filter((id) => written.has(id)),
      };
    });
    await keepFetches(transaction, fetches);
    return changes;
  });
}

/** Of a client that is on two pages, the record of the later one: as if they were loaded one by one. */
export function newestOfEach(pages: readonly Pick<LoadedPage, 'records'>[]): Map<number, ClientRecord> {
  return new Map(pages.flatMap(({ records }) => records.map((record) => [record.clientId, record])));
}
