import { mostlyUnreadable } from '../../model/records.ts';
import type { ClientPage } from '../../service/operations.ts';
import { loadClientPages, type PageSource } from '../../warehouse/load/client-pages.ts';
import type { Run } from '../run/run.ts';

/** Clients of one load: loading pages one by one takes many times as long. */
const clientsPerLoad = 1_000;

/** Clients that may wait while a load is in progress. */
const maxWaiting = 4_000;

/** Counts as a client, too, many times as large as one is: clients that can't be read take memory as well. */
const bytesPerClient = 1_000;

/** Loads the pages of a walk, several at a time, while the next ones are fetched. */
export type WalkLoads = {
  /** Adds a page; resolves once the next one may be added. */
  add(page: ClientPage): Promise<void>;
  /** Loads the rest, and gives the number of new or changed clients of all pages. */
  finish(): Promise<number>;
};

export function createWalkLoads(
  { warehouse, stats, databaseClock }: Pick<Run, 'warehouse' | 'stats' | 'databaseClock'>,
  source: PageSource,
): WalkLoads {
  let waiting: ClientPage[] = [];
  let size = 0;
  let changes = 0;
  let loading = Promise.resolve();
  let isLoading = false;

  async function load(): Promise<void> {
    const pages = waiting.map((page) => ({
      records: page.records,
      response: page.response,
      fetchedAt: databaseClock(page.response.requestedAt),
      unreadable: mostlyUnreadable(page),
    }));
    waiting = [];
    size = 0;
    if (pages.length === 0) return;
    const { appeared, changed, returned } = await loadClientPages(warehouse, source, pages);
    stats.clients.appeared += appeared;
    stats.clients.changed += changed;
    stats.clients.returned += returned;
    changes += appeared + changed + returned;
  }

  /** One load at a time, so that pages load in order. */
  async function loadMeanwhile(): Promise<void> {
    await loading;
    isLoading = true;
    loading = load().finally(() => {
      isLoading = false;
    });
    // Thrown where it is awaited: by the next load, or by finish.
    loading.catch(() => {});
  }

  return {
    async add(page) {
      waiting.push(page);
      const itsSize = Math.max(page.rows, page.response.body.length / bytesPerClient);
      size += itsSize;
      if (size >= (isLoading ? maxWaiting : clientsPerLoad)) await loadMeanwhile();
      // One that is large by itself is loaded before the next one is fetched.
      if (itsSize > maxWaiting) await loading;
    },
    async finish() {
      await loading;
      await load();
      return changes;
    },
  };
}
