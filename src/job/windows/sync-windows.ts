import type { Config } from '../../config/config.ts';
import { addDays, type Day, yesterday } from '../../model/day.ts';
import { type Failure, lineOf } from '../../model/errors.ts';
import type { Window } from '../../model/window.ts';
import { eachConcurrently } from '../../support/concurrency.ts';
import { formatCountOf } from '../../support/english.ts';
import { beginSince } from '../../warehouse/ledger/accounts.ts';
import { readLedger } from '../../warehouse/ledger/ledger.ts';
import { recordFailure } from '../../warehouse/load/windows.ts';
import type { KnownAccount } from '../run/accounts.ts';
import type { AppContext } from '../run/app-context.ts';
import { reportFailure } from '../run/failures.ts';
import { isRetryable } from '../run/retries.ts';
import type { Run } from '../run/run.ts';
import { nonzero } from '../run/run-stats.ts';
import { beginsDays, type ExpectedAccount, windowKey, windowsDue, windowsOf } from './due.ts';
import {
  type LoadedResult,
  reportResult,
  syncWindow,
  type WindowResult,
  type WindowTask,
} from './sync-window.ts';

type ServiceLimits = Pick<Config['service'], 'concurrency'>;

/** Syncs the windows of a run: this process, or workers. */
export type WindowExecutor = {
  /** Syncs a window for this run. Rejects with an error that ends the run, or with the reason of the run's signal. */
  sync(run: Run, task: WindowTask): Promise<WindowResult>;
  maxConcurrent(limits: ServiceLimits): number;
  /** A backfill gives up after so many errors in a row: the service must be down. */
  maxErrorsInARow(limits: ServiceLimits): number;
};

/** This process alone. */
export const localExecutor: WindowExecutor = {
  sync: syncWindow,
  maxConcurrent: ({ concurrency }) => concurrency,
  maxErrorsInARow: ({ concurrency }) => concurrency * 2,
};

/** The windows of a run: those of `days`, or all due ones if it is null. */
export async function planWindows(
  app: AppContext,
  runDate: Day,
  accounts: readonly ExpectedAccount[],
  days: readonly Day[] | null,
): Promise<Window[]> {
  if (days !== null) return windowsOf(accounts, days);
  const { lookbackDays, catchUpDays } = app.config.planning;
  // A day more than runs heal: an account's zone may be a day behind the run date.
  const ledger = await readLedger(app.warehouse, addDays(runDate, -catchUpDays - 1));
  const windows = windowsDue({
    accounts,
    ledger,
    now: withinRunDate(app.clock(), runDate, app.config.planning.timeZone),
    runDate,
    lookbackDays,
    catchUpDays,
  });
  logDue(app, runDate, windows);
  return windows;
}

/** Says why there is nothing to sync, or more than the last days: the night after a backfill is a long one. */
function logDue({ log, config }: AppContext, runDate: Day, windows: readonly Window[]): void {
  if (windows.length === 0) {
    log.info('nothing is due: no window is left to sync on this run date');
    return;
  }
  const { lookbackDays } = config.planning;
  // The zone of an account may be a day behind the run date.
  const older = windows.filter(({ day }) => day < addDays(runDate, -lookbackDays - 1)).length;
  if (older > 0)
    log.info(
      { windows: windows.length, older },
      `${formatCountOf(windows.length, 'window')} due: ${formatCountOf(older, 'day')} before the last ${lookbackDays}, missing or not yet confirmed by a second run`,
    );
}

/** A retry past midnight stays within its run date: a day that has ended since belongs to the next one. */
function withinRunDate(now: Temporal.Instant, runDate: Day, timeZone: string): Temporal.Instant {
  const end = Temporal.PlainDate.from(runDate).add({ days: 1 }).toZonedDateTime(timeZone).toInstant();
  return Temporal.Instant.compare(now, end) < 0 ? now : end.subtract({ nanoseconds: 1 });
}

/** Sets the first expected day of each account that begins to expect days, its yesterday. Returns all accounts. */
export async function expectDays(
  run: Run,
  accounts: readonly KnownAccount[],
  days: readonly Day[] | null,
): Promise<KnownAccount[]> {
  const now = run.clock();
  const expected: KnownAccount[] = [];
  for (const account of accounts) {
    const begins = account.since === null && beginsDays(account, days, now);
    const since = begins ? yesterday(now, account.timeZone) : account.since;
    if (begins) await beginSince(run.warehouse, account.id, since!);
    expected.push({ ...account, since });
  }
  return expected;
}

export async function syncNightlyWindows(
  run: Run,
  accounts: readonly KnownAccount[],
  windows: readonly Window[],
  executor: WindowExecutor,
): Promise<void> {
  const { stats } = run;
  let done = 0;
  const reportDone = () => {
    done++;
    run.onProgress({ unit: 'window', done, total: windows.length, failed: stats.windows.failed });
  };
  const loaded: { readonly account: string; readonly result: LoadedResult }[] = [];
  const follow = ({ account }: WindowTask, result: WindowResult) => {
    if (result.outcome !== 'failed') reportDone();
    if (result.outcome === 'loaded') loaded.push({ account: account.name, result });
  };
  const failed = await syncWindows(run, toTasks(accounts, windows, false), executor, follow);
  for (const [account, all] of Map.groupBy(loaded, ({ account }) => account))
    logAccount(
      run,
      account,
      all.map(({ result }) => result),
    );
  // A window that failed counts as done once its attempts are over.
  for (const each of failed) {
    await reportFailed(run, each);
    reportDone();
  }
}

/** The one line of an account in the log of a good night. */
function logAccount({ log }: Run, account: string, results: readonly LoadedResult[]): void {
  const sumOf = (count: (result: LoadedResult) => number) =>
    results.reduce((sum, result) => sum + count(result), 0);
  const counts = nonzero([
    [results.length, 'loaded', 'day'],
    [sumOf(({ healed }) => Number(healed)), 'healed'],
    [sumOf(({ campaigns }) => campaigns), 'listed', 'campaign'],
    [sumOf(({ rows }) => rows.restated), 'restated'],
    [sumOf(({ rows }) => rows.withdrawn), 'withdrawn'],
  ]);
  log.info({ account }, `${account}: ${counts.join(', ')}`);
}

/**
 * Syncs the windows of a backfill that are still missing. Gives up after `maxErrorsInARow` failures in a row: the
 * service must be down.
 */
export async function syncBackfillWindows(
  run: Run,
  accounts: readonly KnownAccount[],
  windows: readonly Window[],
  executor: WindowExecutor,
): Promise<void> {
  const { stats } = run;
  const maxInARow = executor.maxErrorsInARow(run.config.service);
  const giveUp = new AbortController();
  const signal = AbortSignal.any([run.signal, giveUp.signal]);
  const ended = new Set<string>();
  const failed = new Map<string, FailedWindow>();
  let inARow = 0;

  function follow(task: WindowTask, result: WindowResult): void {
    const key = windowKey({ account: task.account.name, day: task.day });
    ended.add(key);
    if (result.outcome === 'failed') {
      const window = { task, error: result.error };
      failed.set(key, window);
      // A refused token doesn't count: other accounts may have a good one.
      if (!isRefused(window)) inARow++;
      if (inARow === maxInARow) giveUp.abort(window);
    } else {
      failed.delete(key);
      inARow = 0;
    }
    run.onProgress({ unit: 'window', done: ended.size, total: windows.length, failed: failed.size });
  }

  try {
    await syncWindows({ ...run, signal }, toTasks(accounts, windows, true), executor, follow);
  } catch (error) {
    const last: FailedWindow | undefined = giveUp.signal.reason;
    if (last === undefined || error !== last) throw error;
    stats.windows.failed = failed.size;
    const refused = firstRefusals([...failed.values()]);
    for (const window of refused) report(run, window);
    const givenUp = `given up after ${maxInARow} failures in a row`;
    report(run, last, `${givenUp}; the last one: ${lineOf(last.error)}`);
    return;
  }
  const refused = firstRefusals([...failed.values()]);
  for (const window of failed.values()) {
    // A refused token is reported once per account; the account's other windows are only counted.
    if (isRefused(window) && !refused.includes(window)) stats.windows.failed++;
    else await reportFailed(run, window);
  }
}

/** A window whose latest attempt failed. */
type FailedWindow = { readonly task: WindowTask; readonly error: Failure };

/**
 * Syncs the windows and reports each result. After a retryable error a window gets a second attempt at the end.
 * Returns the windows that still failed.
 *
 * @param onResult called with the result of each attempt
 */
async function syncWindows(
  run: Run,
  tasks: readonly WindowTask[],
  executor: WindowExecutor,
  onResult: (task: WindowTask, result: WindowResult) => void,
): Promise<FailedWindow[]> {
  const attempt = async (some: readonly WindowTask[]) => {
    const failed: FailedWindow[] = [];
    await eachConcurrently(some, executor.maxConcurrent(run.config.service), run.signal, async (task) => {
      const result = await executor.sync(run, task);
      if (result.outcome === 'failed') failed.push({ task, error: result.error });
      reportResult(run, task, result);
      onResult(task, result);
    });
    return failed;
  };
  const failed = await attempt(tasks);
  const again = failed.filter(({ error }) => isRetryable(error.code));
  const final = failed.filter(({ error }) => !isRetryable(error.code));
  return [...final, ...(await attempt(again.map(({ task }) => task)))];
}

function toTasks(
  accounts: readonly KnownAccount[],
  windows: readonly Window[],
  missingOnly: boolean,
): WindowTask[] {
  const byName = new Map(accounts.map((account) => [account.name, account]));
  return windows.map(({ account, day }) => ({
    account: byName.get(account)!,
    day,
    accepted: false,
    missingOnly,
  }));
}

/** Records a failed window in the ledger, counts and logs it, unless its account was erased meanwhile. */
async function reportFailed(run: Run, failed: FailedWindow): Promise<void> {
  const { account, day } = failed.task;
  const { error } = failed;
  if (!(await recordFailure(run.warehouse, { accountId: account.id, day }, error))) return;
  run.stats.windows.failed++;
  report(run, failed);
}

function report(run: Run, { task: { account, day }, error }: FailedWindow, line?: string): void {
  reportFailure(run, error, { step: 'windows', account: account.name, day }, line);
}

const isRefused = ({ error }: FailedWindow) => error.code === 'TOKEN_REFUSED';

/** The first failed window of each account whose token is refused. */
function firstRefusals(failed: readonly FailedWindow[]): FailedWindow[] {
  const byAccount = Map.groupBy(failed.filter(isRefused), ({ task }) => task.account.name);
  return [...byAccount.values()].map(([first]) => first!);
}
