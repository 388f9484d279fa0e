import type { Day } from '../../model/day.ts';
import { isOfOne } from '../../model/failure.ts';
import {
  type Account,
  type CampaignRecord,
  type Reject,
  type ServiceResponse,
  unreadableReason,
} from '../../model/records.ts';
import { isOver, yesterday } from '../../planning/business-day.ts';
import { contentHash, decideLoad } from '../../planning/decide-load.ts';
import { catchUpLeft } from '../../planning/windows-due.ts';
import { invalidResponse } from '../../service/failures.ts';
import { msSince } from '../../support/clock.ts';
import { isLoadedByOther } from '../../warehouse/ledger/ledger.ts';
import { databaseClock } from '../../warehouse/ledger/runs.ts';
import { keepUnreadable, type Loaded, loadWindow } from '../../warehouse/load/windows.ts';
import type { Run } from '../run/run.ts';
import { failedResult, rowsOf, skippedResult, type WindowResult, type WindowTask } from './window-result.ts';

/** What a window needs of its run. */
export type SyncContext = Pick<Run, 'warehouse' | 'service' | 'config' | 'clock' | 'id' | 'runDate'>;

/** Syncs one window: fetch, decide, load in one transaction. Rejects only with an error that ends the whole run. */
export async function syncWindow(run: SyncContext, task: WindowTask): Promise<WindowResult> {
  const { account, day, missingOnly } = task;
  const began = performance.now();
  try {
    if (missingOnly && (await isLoadedByOther(run.warehouse, run.id, account.id, day))) return skippedResult;
    const result = await fetchAndLoad(run, task);
    return { ...skippedResult, ...result, ms: msSince(began) };
  } catch (error) {
    if (!isOfOne(error)) throw error;
    return failedResult(error, msSince(began));
  }
}

async function fetchAndLoad(run: SyncContext, task: WindowTask): Promise<Partial<WindowResult>> {
  const { warehouse, id, runDate } = run;
  const { account, day, accepted } = task;
  const fetchedAt = await databaseClock(warehouse);
  const fetched = await fetchWindow(run, task);
  const response = {
    ...fetched,
    accountId: account.id,
    day,
    fetchedAt,
    catchUpLeft: catchUpLeft(day, {
      now: run.clock(),
      timeZone: account.timeZone,
      catchUpDays: run.config.planning.catchUpDays,
    }),
    runId: id,
    runDate,
  };
  const counts = {
    provisional: fetched.provisional,
    campaigns: fetched.records.length,
    rejects: fetched.rejects.length,
  };
  if (fetched.unreadable !== null) {
    await keepUnreadable(warehouse, response);
    const where = { account: account.name, about: `campaigns of ${day}` };
    return { ...counts, outcome: 'unreadable', error: invalidResponse(where, fetched.unreadable) };
  }
  const loaded = await loadWindow(warehouse, response, (current) =>
    decideLoad(current, { ...response, accepted }),
  );
  return { ...counts, ...outcomeOf(run, task, loaded) };
}

/** The response for a window. */
export type FetchedWindow = {
  readonly records: readonly CampaignRecord[];
  readonly rejects: readonly Reject[];
  readonly response: ServiceResponse;
  readonly contentHash: string;
  /** Whether the day was not over yet when it was requested. */
  readonly provisional: boolean;
  /** Why the response is not loaded at all; null where it can be. */
  readonly unreadable: string | null;
};

/** Fetches a window, and writes nothing. */
export async function fetchWindow(
  { service, clock }: Pick<Run, 'service' | 'clock'>,
  { account, day }: { readonly account: Account; readonly day: Day },
): Promise<FetchedWindow> {
  const provisional = !isOver(day, account.timeZone, clock());
  const summary = await service.summarizeCampaigns(account, { from: day, to: day });
  return {
    records: summary.records,
    rejects: summary.rejects,
    response: summary.response,
    contentHash: contentHash(summary.records),
    provisional,
    unreadable: unreadableReason(summary),
  };
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
