import { isOfOne } from '../../model/failure.ts';
import { yesterday } from '../../planning/business-day.ts';
import { invalidResponse } from '../../service/failures.ts';
import { msSince } from '../../support/clock.ts';
import { isLoadedByOther } from '../../warehouse/ledger/ledger.ts';
import { databaseClock } from '../../warehouse/ledger/runs.ts';
import { keepUnreadable, type Loaded, loadWindow } from '../../warehouse/load/windows.ts';
import type { Run } from '../run/run.ts';
import { decideWindow, type FetchedWindow, fetchWindow } from './fetch-window.ts';
import { failedResult, rowsOf, skippedResult, type WindowResult, type WindowTask } from './window-result.ts';

/** What a window needs of its run. */
export type SyncContext = Pick<Run, 'warehouse' | 'service' | 'clock' | 'id' | 'runDate'>;

/** Syncs one window: fetch, decide, load in one transaction. Rejects only with an error that ends the whole run. */
export async function syncWindow(run: SyncContext, task: WindowTask): Promise<WindowResult> {
  const began = performance.now();
  try {
    if (await isSkipped(run, task)) return skippedResult;
    const result = await fetchAndLoad(run, task);
    return { ...result, ms: msSince(began) };
  } catch (error) {
    if (!isOfOne(error)) throw error;
    return failedResult(error, msSince(began));
  }
}

async function isSkipped({ warehouse, id }: SyncContext, task: WindowTask): Promise<boolean> {
  return task.missingOnly && (await isLoadedByOther(warehouse, id, task.account.id, task.day));
}

async function fetchAndLoad(run: SyncContext, task: WindowTask): Promise<WindowResult> {
  const fetchedAt = await databaseClock(run.warehouse);
  const fetched = await fetchWindow(run, task);
  const result = {
    ...skippedResult,
    provisional: fetched.provisional,
    campaigns: fetched.records.length,
    rejects: fetched.rejects.length,
  };
  const source = { accountId: task.account.id, day: task.day, fetchedAt, runId: run.id };
  if (fetched.unreadable !== null) {
    await keepUnreadable(run.warehouse, { ...source, rejects: fetched.rejects, response: fetched.response });
    const where = { account: task.account.name, about: `campaigns of ${task.day}` };
    return { ...result, outcome: 'unreadable', error: invalidResponse(where, fetched.unreadable) };
  }
  const loaded = await load(run, task, fetched, source);
  return { ...result, ...outcomeOf(run, task, loaded) };
}

async function load(
  { warehouse, runDate }: SyncContext,
  { accepted }: WindowTask,
  fetched: FetchedWindow,
  source: {
    readonly accountId: number;
    readonly day: string;
    readonly fetchedAt: string;
    readonly runId: number;
  },
): Promise<Loaded> {
  return await loadWindow(warehouse, { ...fetched, ...source, runDate }, (current) =>
    decideWindow(fetched, current, { runDate, accepted }),
  );
}

function outcomeOf(run: SyncContext, task: WindowTask, { before, outcome }: Loaded): Partial<WindowResult> {
  if (outcome.decision === 'stale') return { outcome: 'stale' };
  if (outcome.decision === 'hold') return { outcome: 'held', heldBecause: outcome.because };
  return {
    outcome: 'loaded',
    rows: rowsOf(outcome.change),
    healed: before.state === 'failed' && wasExpected(run, task),
  };
}

/** Neither yesterday, which no run could load before; nor history, which was not expected before this run. */
function wasExpected({ clock }: SyncContext, { account, day }: WindowTask): boolean {
  return account.since !== null && day >= account.since && day < yesterday(clock(), account.timeZone);
}
