import { createHash } from 'node:crypto';
import type { Failure } from '../../model/errors.ts';
import { unreadableReason } from '../../model/records.ts';
import { today } from '../../planning/business-day.ts';
import { invalidResponse, walkIncomplete } from '../../service/failures.ts';
import type { ClientPage } from '../../service/operations.ts';
import type { WalkEnd } from '../../service/paging/walk-clients.ts';
import type { PageSource } from '../../warehouse/load/client-pages.ts';
import {
  type Absences,
  beginWalk,
  failWalk,
  recordBrokenWalk,
  recordCompleteWalk,
  type Walk,
} from '../../warehouse/load/client-walks.ts';
import { quarantine } from '../../warehouse/load/rejects.ts';
import { readSizeFields } from '../../warehouse/load/size-fields.ts';
import type { KnownAccount } from '../run/accounts.ts';
import { errorOfOne } from '../run/error-of-one.ts';
import type { Run } from '../run/run.ts';
import { isWalkOverdue, learnFromWalk } from './conclude-walk.ts';
import { createWalkLoads, type WalkLoads } from './load-walk.ts';

/** What a client list needs of its run. */
export type ListContext = Pick<
  Run,
  | 'warehouse'
  | 'service'
  | 'clock'
  | 'config'
  | 'id'
  | 'runDate'
  | 'stats'
  | 'log'
  | 'signal'
  | 'redact'
  | 'databaseClock'
>;

/** What became of an account's client list. */
export type ClientListResult = {
  /** Null where the walk did not reach its end. */
  readonly walked: { readonly pages: number; readonly clients: number; readonly changes: number } | null;
  /** Null unless the walk is complete. */
  readonly absences: Absences | null;
  /** Why a walk that fetched every page isn't complete, where that is no error yet; otherwise null. */
  readonly changed: string | null;
  readonly error: Failure | null;
};

type OnPage = (page: ClientPage, pages: number) => void;

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
  run: ListContext,
  account: KnownAccount,
  onPage: OnPage,
): Promise<ClientListResult> {
  try {
    return await walkAndLoad(run, account, onPage);
  } catch (error) {
    const failure = errorOfOne(error, run, `account ${account.name}, clients`);
    await recordBrokenWalk(run.warehouse, { ...sourceOf(run, account), runDate: run.runDate }, failure);
    return {
      walked: null,
      absences: null,
      changed: null,
      error: failure,
    };
  }
}

async function walkAndLoad(
  run: ListContext,
  account: KnownAccount,
  onPage: OnPage,
): Promise<ClientListResult> {
  const { pageLimit, balance } = run.config.service;
  const source = sourceOf(run, account);
  const reportRemarks = createReportRemarks(run, account);
  let loading: LoadingWalk | null = null;
  const parameters = { limit: pageLimit, balance };
  const sizeFields = await readSizeFields(run.warehouse, account.id);
  for await (const item of run.service.walkClients(account, parameters, sizeFields)) {
    if (item.type === 'end') return await conclude(run, account, loading!, item);
    if (item.type === 'restart') {
      await loading!.loads.finish();
      await failWalk(run.warehouse, loading!.walk, 'repeated', item.problem, null);
      loading = null;
      continue;
    }
    const { page } = item;
    loading ??= await beginLoading(run, source, page);
    await reportRemarks(page);
    loading.pages++;
    for (const { id } of page.rejects) loading.rejected.push(id);
    // Only the first are kept: the others may be anybody.
    if (page.rejectCount > page.rejects.length) loading.rejected.push(null);
    // Its clients stay as they are; the other pages load.
    loading.unreadable ??= unreadableReason(page, 'records of a page');
    onPage(page, loading.pages);
    await loading.loads.add(page);
  }
  throw new Error('the walk over the client list has no end');
}

/** Whose walk it is, and the day of its balances. */
function sourceOf({ id, clock }: Pick<Run, 'id' | 'clock'>, account: KnownAccount): Omit<PageSource, 'walk'> {
  return {
    runId: id,
    accountId: account.id,
    day: today(clock(), account.timeZone),
  };
}

async function beginLoading(
  run: ListContext,
  source: Omit<PageSource, 'walk'>,
  first: ClientPage,
): Promise<LoadingWalk> {
  const startedAt = run.databaseClock(first.response.requestedAt);
  const walk = await beginWalk(run.warehouse, { ...source, runDate: run.runDate, startedAt });
  return {
    walk,
    loads: createWalkLoads(run, { ...source, walk: walk.id }),
    pages: 0,
    rejected: [],
    unreadable: null,
  };
}

/** In the place of a payload, of which a walk may have as much as it has pages. */
const hashOf = (payload: string) => createHash('sha256').update(payload).digest('base64');

/** Logs the remarks on a list's pages and quarantines their rejects, each once, though a restarted walk repeats them. */
function createReportRemarks(
  { warehouse, id, stats, log }: ListContext,
  { id: accountId, name }: KnownAccount,
) {
  const source = {
    runId: id,
    accountId,
    operation: 'getClients',
    day: null,
  };
  const rejects = new Set<string>();
  const remarks = new Set<string>();
  return async (page: ClientPage): Promise<void> => {
    const newRejects = page.rejects.filter(({ payload }) => !rejects.has(hashOf(payload)));
    for (const { payload } of newRejects) rejects.add(hashOf(payload));
    await quarantine(warehouse, source, newRejects);
    stats.rejects += newRejects.length + page.rejectCount - page.rejects.length;
    const notices = page.notice === null ? [] : [`the response says "${page.notice}"`];
    for (const remark of [...page.remarks, ...notices].filter((each) => !remarks.has(each))) {
      remarks.add(remark);
      log.warn({ account: name }, `${name}: ${remark}`);
    }
  };
}

async function conclude(
  run: ListContext,
  account: KnownAccount,
  { walk, loads, pages, rejected, unreadable }: LoadingWalk,
  end: WalkEnd,
): Promise<ClientListResult> {
  const changes = await loads.finish();
  const listed = withRejected(end.ids, rejected);
  const walked = { pages, clients: listed.size, changes };
  if (end.outcome !== 'complete' || unreadable !== null) {
    const incomplete = await concludeIncomplete(run, account, walk, end, unreadable);
    return { walked, absences: null, ...incomplete };
  }
  const allKnown = !rejected.includes(null);
  const absences = await recordCompleteWalk(run.warehouse, {
    ...walk,
    seen: allKnown ? listed : null,
    allLoaded: rejected.length === 0,
    changed: changes > 0,
  });
  if (allKnown)
    await learnFromWalk(run, account, {
      runDate: run.runDate,
      counts: end.counts,
      pages,
      ids: listed.size,
    });
  return {
    walked,
    absences,
    changed: null,
    error: null,
  };
}

/** Records a walk that isn't complete. While the list changes, that is no error until the last complete walk is old. */
async function concludeIncomplete(
  run: ListContext,
  account: KnownAccount,
  walk: Walk,
  end: WalkEnd,
  unreadable: string | null,
): Promise<Pick<ClientListResult, 'changed' | 'error'>> {
  const isChanged = end.outcome === 'changed' && unreadable === null;
  const problem = (end.outcome === 'complete' ? unreadable : end.problem)!;
  await failWalk(
    run.warehouse,
    walk,
    isChanged ? 'changed' : 'incomplete',
    problem,
    end.failure?.code ?? null,
  );
  if (isChanged && !(await isWalkOverdue(run, account))) return { changed: problem, error: null };
  // Only a person can replace a token; any other failed page is named by the problem.
  if (end.failure?.code === 'TOKEN_REFUSED') return { changed: null, error: end.failure };
  if (end.outcome !== 'complete')
    return { changed: null, error: walkIncomplete(account.name, problem, end.failure?.code) };
  return { changed: null, error: invalidResponse({ account: account.name, about: 'clients' }, problem) };
}

function withRejected(ids: ReadonlySet<number>, rejected: readonly (number | null)[]): ReadonlySet<number> {
  // Most lists have none, and then they need no copy.
  return rejected.length === 0 ? ids : ids.union(new Set(rejected.filter((id) => id !== null)));
}
