import type { Day } from '../../model/day.ts';
import {
  type Account,
  type CampaignRecord,
  type CountName,
  type Reject,
  type ServiceResponse,
  type SummaryEnvelope,
  unreadableReason,
} from '../../model/records.ts';
import { isOver, yesterday } from '../../planning/business-day.ts';
import { describeDisagreement } from '../../planning/compare-counts.ts';
import { contentHash, decideWindow, mostlyUnreported } from '../../planning/decide-load.ts';
import { catchUpLeft } from '../../planning/windows-due.ts';
import { invalidResponse } from '../../service/failures.ts';
import { msSince } from '../../support/clock.ts';
import { isErased } from '../../warehouse/ledger/accounts.ts';
import { isLoadedByOther } from '../../warehouse/ledger/ledger.ts';
import { keepUnreadable, type Loaded, loadWindow } from '../../warehouse/load/windows.ts';
import { errorOfOne } from '../run/error-of-one.ts';
import type { Run } from '../run/run.ts';
import { failedResult, rowsOf, skippedResult, type WindowResult, type WindowTask } from './window-result.ts';

/** What a window needs of its run. */
export type SyncContext = Pick<
  Run,
  'warehouse' | 'service' | 'config' | 'clock' | 'databaseClock' | 'id' | 'runDate' | 'signal' | 'redact'
>;

/** Syncs one window: fetch, decide, load in one transaction. Rejects only with an error that ends the whole run. */
export async function syncWindow(run: SyncContext, task: WindowTask): Promise<WindowResult> {
  const { account, day, missingOnly } = task;
  const began = performance.now();
  try {
    if (missingOnly && (await isLoadedByOther(run.warehouse, run.id, account.id, day))) return skippedResult;
    // By `forget`, which a backfill may run beside: nothing is expected of the account any more.
    if (missingOnly && (await isErased(run.warehouse, account.id))) return skippedResult;
    const result = (await fetchAndLoad(run, task, false)) ?? (await fetchAndLoad(run, task, true));
    return { ...skippedResult, ...result, ms: msSince(began) };
  } catch (error) {
    const failure = errorOfOne(error, run, `account ${account.name}, campaigns of ${day}`);
    if (await isErased(run.warehouse, account.id)) return skippedResult;
    return failedResult(failure, msSince(began));
  }
}

/**
 * Gives null where the window is to be requested once more.
 *
 * @param repeated whether it was, because a count of the first response disagreed
 */
async function fetchAndLoad(
  run: SyncContext,
  task: WindowTask,
  repeated: boolean,
): Promise<Partial<WindowResult> | null> {
  const { warehouse, id, runDate } = run;
  const { account, day, accepted } = task;
  const fetchedAt = run.databaseClock();
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
    rejects: fetched.rejectCount,
  };
  if (fetched.unreadable !== null) {
    await keepUnreadable(warehouse, response);
    const where = { account: account.name, about: `campaigns of ${day}` };
    return { ...counts, outcome: 'unreadable', error: invalidResponse(where, fetched.unreadable) };
  }
  const loaded = await loadWindow(warehouse, response, (current, history) =>
    decideWindow(current, { ...response, ...response.envelope, accepted }, history, repeated),
  );
  if (loaded.outcome.decision === 'retry') return null;
  const { futureFetchedAt } = loaded;
  return { ...counts, futureFetchedAt, ...outcomeOf(run, task, fetched, loaded) };
}

/** The response for a window. */
export type FetchedWindow = {
  readonly records: readonly CampaignRecord[];
  readonly rejects: readonly Reject[];
  readonly rejectCount: number;
  readonly envelope: SummaryEnvelope;
  /** Counts that most of the campaigns don't report. */
  readonly unreported: readonly CountName[];
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
    rejectCount: summary.rejectCount,
    envelope: { rows: summary.rows, counts: summary.counts, notice: summary.notice },
    unreported: mostlyUnreported(summary.records),
    response: summary.response,
    contentHash: contentHash(summary.records),
    provisional,
    unreadable: unreadableReason(summary),
  };
}

function outcomeOf(
  run: SyncContext,
  task: WindowTask,
  { envelope }: FetchedWindow,
  { before, outcome, disagreeing, ended }: Loaded,
): Partial<WindowResult> {
  if (outcome.decision === 'hold')
    return { outcome: 'held', heldBecause: outcome.because, endedCounts: ended };
  if (outcome.decision !== 'apply') return { outcome: 'stale' };
  const suspicious = [
    disagreeing.length > 0 ? describeDisagreement(envelope, disagreeing) : null,
    envelope.notice === null ? null : `the response says "${envelope.notice}"`,
  ];
  return {
    outcome: 'loaded',
    rows: rowsOf(outcome.change),
    healed: before.state === 'failed' && !task.missingOnly && wasExpected(run, task),
    suspicious: suspicious.filter((reason) => reason !== null),
    disagreeing: disagreeing.length > 0,
    endedCounts: ended,
  };
}

/** Neither yesterday, which no run could load before; nor history, which was not expected before a backfill of it. */
function wasExpected({ clock }: SyncContext, { account, day }: WindowTask): boolean {
  return account.since !== null && day >= account.since && day < yesterday(clock(), account.timeZone);
}
