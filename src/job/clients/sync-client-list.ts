import type { Account } from '../../model/account.ts';
import type { Day } from '../../model/day.ts';
import { type Failure, isOfOne } from '../../model/failure.ts';
import { mostlyUnreadable } from '../../model/records.ts';
import { today } from '../../planning/business-day.ts';
import type { ClientPage } from '../../service/clients.ts';
import { invalidResponse, walkIncomplete } from '../../service/failures.ts';
import type { WalkEnd } from '../../service/paging/walk-clients.ts';
import { msSince } from '../../support/clock.ts';
import {
  type Absences,
  beginWalk,
  failWalk,
  recordCompleteWalk,
  type Walk,
} from '../../warehouse/load/client-walks.ts';
import type { Run } from '../run/run.ts';
import type { KnownAccount } from '../run/select-accounts.ts';
import { type AnchoredClock, anchorClock } from './anchored-clock.ts';
import { createWalkLoads, type WalkLoads } from './load-walk.ts';
import { createPageRemarks } from './page-remarks.ts';

/** What became of an account's client list. */
export type ClientListResult = {
  /** Null where the walk did not reach its end. */
  readonly walked: WalkedList | null;
  /** Null unless the walk is complete. */
  readonly absences: Absences | null;
  readonly error: Failure | null;
  readonly ms: number;
};

type WalkedList = { readonly pages: number; readonly clients: number; readonly changes: number };

/** A walk on its way into the warehouse. */
type LoadingWalk = {
  readonly walk: Walk;
  readonly loads: WalkLoads;
  pages: number;
  /** Ids of records that can't be read; null for one whose id can't be read, either. */
  readonly rejected: (number | null)[];
  /** Why a page can't be read; null where each can. */
  unreadable: string | null;
};

/** Syncs an account's client list: its pages are loaded as they are fetched, and the walk concluded at its end. */
export async function syncClientList(
  run: Run,
  account: KnownAccount,
  onPage: (page: ClientPage, pages: number) => void,
): Promise<ClientListResult> {
  const began = performance.now();
  try {
    const result = await walkAndLoad(run, account, onPage);
    return { ...result, ms: msSince(began) };
  } catch (error) {
    if (!isOfOne(error)) throw error;
    return {
      walked: null,
      absences: null,
      error,
      ms: msSince(began),
    };
  }
}

async function walkAndLoad(
  run: Run,
  account: KnownAccount,
  onPage: (page: ClientPage, pages: number) => void,
): Promise<Omit<ClientListResult, 'ms'>> {
  const { pageLimit, balance } = run.config.service;
  const day = today(run.clock(), account.timeZone);
  const clock = await anchorClock(run.warehouse);
  const remarks = createPageRemarks(run, account);
  let loading: LoadingWalk | null = null;
  for await (const item of run.service.walkClients(account, { limit: pageLimit, balance })) {
    if (item.type === 'end') return await conclude(run, account, loading!, item);
    if (item.type === 'restart') {
      await abandon(run, loading!);
      loading = null;
      continue;
    }
    loading ??= await beginLoading(run, account, day, clock, item.page);
    await remarks.report(item.page);
    addPage(loading, item.page);
    onPage(item.page, loading.pages);
    await loading.loads.add(item.page);
  }
  throw new Error('the walk over the client list has no end');
}

async function beginLoading(
  run: Pick<Run, 'warehouse' | 'stats' | 'id' | 'runDate'>,
  account: KnownAccount,
  day: Day,
  clock: AnchoredClock,
  first: ClientPage,
): Promise<LoadingWalk> {
  const walk = await beginWalk(run.warehouse, {
    runId: run.id,
    accountId: account.id,
    runDate: run.runDate,
    day,
    startedAt: clock(first.response.requestedAt),
  });
  const source = {
    runId: run.id,
    accountId: account.id,
    walk: walk.id,
    day,
  };
  return {
    walk,
    loads: createWalkLoads(run, source, clock),
    pages: 0,
    rejected: [],
    unreadable: null,
  };
}

function addPage(loading: LoadingWalk, page: ClientPage): void {
  const { records, rejects } = page;
  loading.pages++;
  loading.rejected.push(...rejects.map(({ id }) => id));
  if (!mostlyUnreadable(page)) return;
  // Its clients stay as they are; the other pages load.
  loading.unreadable ??= `${rejects.length} of ${records.length + rejects.length} records of a page can't be read`;
}

async function abandon({ warehouse }: Pick<Run, 'warehouse'>, { walk, loads }: LoadingWalk): Promise<void> {
  await loads.finish();
  await failWalk(warehouse, walk, 'it was begun again');
}

async function conclude(
  { warehouse }: Pick<Run, 'warehouse'>,
  account: Account,
  loading: LoadingWalk,
  end: WalkEnd,
): Promise<Omit<ClientListResult, 'ms'>> {
  const changes = await loading.loads.finish();
  const listed = withRejected(end.ids, loading.rejected);
  const walked = { pages: loading.pages, clients: listed.size, changes };
  const problem = end.problem ?? loading.unreadable;
  if (problem !== null) {
    await failWalk(warehouse, loading.walk, problem);
    const error =
      end.problem === null
        ? invalidResponse({ account: account.name, about: 'clients' }, problem)
        : walkIncomplete(account.name, problem);
    return { walked, absences: null, error };
  }
  const absences = await recordCompleteWalk(warehouse, {
    ...loading.walk,
    seen: loading.rejected.includes(null) ? null : listed,
    allLoaded: loading.rejected.length === 0,
    changed: changes > 0,
  });
  return { walked, absences, error: null };
}

function withRejected(ids: ReadonlySet<number>, rejected: readonly (number | null)[]): ReadonlySet<number> {
  // Most lists have none, and then they need no copy.
  return rejected.length === 0 ? ids : ids.union(new Set(rejected.filter((id) => id !== null)));
}
