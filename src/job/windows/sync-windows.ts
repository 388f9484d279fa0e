import { addDays, type Day, yesterday } from '../../model/day.ts';
import type { Failure } from '../../model/errors.ts';
import type { Window } from '../../model/window.ts';
import { eachConcurrently } from '../../support/concurrency.ts';
import { formatCountOf } from '../../support/english.ts';
import { lowerFirstDay } from '../../warehouse/ledger/accounts.ts';
import { readLedger } from '../../warehouse/ledger/ledger.ts';
import { recordFailures } from '../../warehouse/ledger/window-entry.ts';
import { refreshCampaigns } from '../../warehouse/load/campaigns.ts';
import type { KnownAccount } from '../run/accounts.ts';
import { createCircuitBreaker, giveUpReason } from '../run/circuit-breaker.ts';
import { reportFailures } from '../run/failures.ts';
import { isRetryable } from '../run/retries.ts';
import type { Run } from '../run/run.ts';
import { type ExpectedAccount, setsFirstDay, windowsDue, windowsOf } from './due.ts';
import { reviewDays } from './review-days.ts';
import { syncWindow, type WindowTask } from './sync-window.ts';

/** Syncs the windows of a run: this process, or workers. */
export type WindowExecutor = {
  /** Does what `syncWindow` does. Rejects with an error that ends the run, or with the reason of the run's signal. */
  sync(run: Run, task: WindowTask): Promise<Failure | null>;
  /** `CONCURRENCY` by default. */
  readonly maxConcurrent?: number;
  /** A run gives up after so many windows in a row for which the service is unavailable: by default twice `CONCURRENCY`. */
  readonly maxErrorsInARow?: number;
};

/** This process alone. */
export const localExecutor: WindowExecutor = { sync: syncWindow };

/** The windows of a run: those of `days`, or all due ones if it is null. */
export async function planWindows(
  {
    warehouse,
    config,
    clock,
    log,
    runDate,
    signs,
  }: Pick<Run, 'warehouse' | 'config' | 'clock' | 'log' | 'runDate' | 'signs'>,
  accounts: readonly ExpectedAccount[],
  days: readonly Day[] | null,
): Promise<Window[]> {
  if (days !== null) return windowsOf(accounts, days);
  const { lookbackDays, catchUpDays, timeZone } = config.planning;
  // A retry past midnight stays within its run date: a day that has ended since belongs to the next one.
  const now = clock();
  const end = Temporal.PlainDate.from(addDays(runDate, 1)).toZonedDateTime(timeZone).toInstant();
  const windows = windowsDue({
    accounts,
    // A day more than runs heal: an account's zone may be a day behind the run date.
    ledger: await readLedger(warehouse, addDays(runDate, -catchUpDays - 1)),
    isAsked: (sign) => signs.isAlerted({ kind: 'empty', operation: 'campaignSummary', sign }),
    now: Temporal.Instant.compare(now, end) < 0 ? now : end.subtract({ nanoseconds: 1 }),
    runDate,
    lookbackDays,
    catchUpDays,
  });
  // The night after a backfill is a long one.
  const older = windows.filter(({ day }) => day < addDays(runDate, -lookbackDays - 1)).length;
  if (windows.length === 0) log.info('nothing left to load today');
  else if (older > 0)
    log.info(
      { windows: windows.length, older },
      `${formatCountOf(windows.length, 'window')} due, ${older} of them older than ${formatCountOf(lookbackDays, 'day')}: missing, not yet confirmed, or checked once a week`,
    );
  return windows;
}

/** Sets the first expected day of each account that begins to expect days, its yesterday. Returns all accounts. */
export async function setFirstDays(
  run: Run,
  accounts: readonly KnownAccount[],
  days: readonly Day[] | null,
): Promise<KnownAccount[]> {
  const now = run.clock();
  const begins = accounts
    .filter((account) => setsFirstDay(account, days, now))
    .map((account) => ({ ...account, since: yesterday(now, account.timeZone) }));
  for (const [day, some] of Map.groupBy(begins, ({ since }) => since)) {
    const ids = some.map(({ id }) => id);
    await lowerFirstDay(run.warehouse, ids, day);
  }
  const beginning = new Map(begins.map((account) => [account.id, account]));
  return accounts.map((account) => beginning.get(account.id) ?? account);
}

/**
 * Syncs the windows. After a retryable error a window gets a second attempt at the end. Once the service is unavailable for
 * window after window, the others fail with the same error, unrequested. Windows that failed for the same cause are
 * one line of the log.
 *
 * @param missingOnly of a backfill: it skips what another run has loaded by now
 */
export async function syncWindows(
  run: Run,
  accounts: readonly KnownAccount[],
  windows: readonly Window[],
  executor: WindowExecutor,
  missingOnly: boolean,
): Promise<void> {
  const byName = new Map(accounts.map((account) => [account.name, account]));
  const tasks = windows.map(
    ({ account, day }): WindowTask => ({ account: byName.get(account)!, day, missingOnly }),
  );
  const { concurrency } = run.config.service;
  const { maxConcurrent = concurrency, maxErrorsInARow = 2 * concurrency } = executor;
  const { size } = new Set(tasks.map(({ account }) => account.name));
  const breaker = createCircuitBreaker(maxErrorsInARow, size);
  const signal = AbortSignal.any([run.signal, breaker.signal]);
  const failed = new Map<WindowTask, Failure>();
  // A window that is never requested fails at the run's start.
  const startedAt = run.databaseClock();
  const requestedAt = new Map<WindowTask, string>();
  const left = new Set(tasks);

  async function attempt(task: WindowTask): Promise<void> {
    if (!requestedAt.has(task)) requestedAt.set(task, run.databaseClock());
    const failure = await executor.sync({ ...run, signal }, task);
    left.delete(task);
    if (failure === null) failed.delete(task);
    else failed.set(task, failure);
    breaker.record(task.account.name, failure);
    run.onProgress({
      unit: 'window',
      done: tasks.length - left.size,
      total: tasks.length,
      failed: failed.size,
    });
  }

  try {
    await eachConcurrently(tasks, maxConcurrent, signal, attempt);
    // An unknown answer was requested twice already.
    const again = [...failed]
      .filter(([, { code }]) => isRetryable(code) && code !== 'UNKNOWN_ANSWER')
      .map(([task]) => task);
    await eachConcurrently(again, maxConcurrent, signal, attempt);
  } catch (error) {
    if (error !== breaker.signal.reason) throw error;
    run.log.warn(
      { left: left.size },
      `${giveUpReason(error as Failure)}: ${formatCountOf(left.size, 'window')} left for the next run`,
    );
    for (const task of left) failed.set(task, error as Failure);
  }
  await reviewDays(run);
  await refreshCampaigns(run.warehouse);
  for (const alike of Map.groupBy(failed, ([, { code, detail }]) => `${code} ${detail}`).values()) {
    const [[, failure]] = alike as [(typeof alike)[number]];
    const recorded = await recordFailures(
      run.warehouse,
      alike.map(([task]) => ({
        accountId: task.account.id,
        day: task.day,
        requestedAt: requestedAt.get(task) ?? startedAt,
      })),
      run.runDate,
      failure,
    );
    run.stats.windows.failed += recorded.length;
    const names = new Map(alike.map(([{ account }]) => [account.id, account.name]));
    const places = recorded.map(({ accountId, day }) => ({
      step: 'windows' as const,
      account: names.get(accountId)!,
      day,
    }));
    reportFailures(run, failure, places);
  }
}
