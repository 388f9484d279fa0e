import { mostlyUnreadable } from '../../model/records.ts';
import type { WalkedPage } from '../../service/paging/walk-clients.ts';
import { loadClientPages, type PageSource } from '../../warehouse/load/client-pages.ts';
import type { Run } from '../run/run.ts';
import type { AnchoredClock } from './anchored-clock.ts';

/** Clients to a load: the database takes them in a fraction of the time that single pages take. */
const clientsPerLoad = 1_000;

/** As many may wait while the load before takes its time: they are loaded at once then. */
const maxWaiting = 4_000;

/** Loads the pages of a walk, some at a time, while further ones are fetched. */
export type WalkLoads = {
  /** Takes a page; resolves once the next one may come. */
  take(page: WalkedPage): Promise<void>;
  /** Loads what still waits; gives the number of clients that were new or changed, of all pages. */
  finish(): Promise<number>;
};

export function createWalkLoads(run: Run, source: PageSource, at: AnchoredClock): WalkLoads {
  let waiting: WalkedPage[] = [];
  let clients = 0;
  let changes = 0;
  let loading = Promise.resolve();
  let isLoading = false;

  async function load(): Promise<void> {
    const pages = waiting;
    waiting = [];
    clients = 0;
    if (pages.length === 0) return;
    const { appeared, changed, returned } = await loadClientPages(
      run.warehouse,
      source,
      pages.map((page) => ({
        records: page.records,
        response: page.response,
        fetchedAt: at(page.response.requestedAt),
        unreadable: mostlyUnreadable(page),
      })),
    );
    run.stats.clients.appeared += appeared;
    run.stats.clients.changed += changed;
    run.stats.clients.returned += returned;
    changes += appeared + changed + returned;
  }

  /** Never two loads at once, so that later pages are loaded later. */
  async function loadMeanwhile(): Promise<void> {
    await loading;
    isLoading = true;
    loading = load().finally(() => {
      isLoading = false;
    });
    // Told when it is awaited, which is before anything else is loaded or concluded.
    loading.catch(() => {});
  }

  return {
    async take(page) {
      waiting.push(page);
      clients += page.records.length;
      if (clients >= (isLoading ? maxWaiting : clientsPerLoad)) await loadMeanwhile();
    },
    async finish() {
      await loading;
      await load();
      return changes;
    },
  };
}
