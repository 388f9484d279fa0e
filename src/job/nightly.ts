import { setTimeout as delay } from 'node:timers/promises';
import { type Day, today } from '../model/day.ts';
import { needsCompleteWalk } from '../model/walk.ts';
import type { Window } from '../model/window.ts';
import { createGate, type Gate } from '../support/concurrency.ts';
import { formatCountOf, formatList } from '../support/english.ts';
import { isDatabaseOutage } from '../warehouse/failures.ts';
import { readWalkStates } from '../warehouse/load/client-walks.ts';
import { alertRefusals, diagnosisText, sendLastRunFailure, sendRunAlerts } from './alerts/send-alerts.ts';
import { syncClientLists } from './clients/sync-client-lists.ts';
import { deliverDigests, deliverEarlier } from './digests/deliver-digests.ts';
import { makeDigests, skipDays } from './digests/make-digests.ts';
import { recordDigestStarts } from './digests/read-due.ts';
import { prune } from './prune.ts';
import { type KnownAccount, retireAccounts, selectAccounts, spread } from './run/accounts.ts';
import type { AppContext } from './run/app-context.ts';
import { endingOf } from './run/ending.ts';
import { alertsRefusals, mayHeal, nextRetry } from './run/retries.ts';
import {
  type Run,
  type RunFollowUp,
  type RunReport,
  type RunRequest,
  retryAfterError,
  withRunLock,
} from './run/run.ts';
import type { ReportedError } from './run/run-stats.ts';
import { inStep } from './run/step.ts';
import { recordUnrecorded } from './run/unrecorded.ts';
import {
  localExecutor,
  planWindows,
  setFirstDays,
  syncWindows,
  type WindowExecutor,
} from './windows/sync-windows.ts';

export type NightlyRequest = RunRequest & {
  /** Exactly these days, due or not; null for whatever is due. */
  readonly days: readonly Day[] | null;
  /** Names of accounts; null for all. */
  readonly accounts: readonly string[] | null;
  /** False skips the digests of this run's days. */
  readonly digest: boolean;
};

/**
 * The nightly job: one pass from the service's pages to the managers' mail. An error of one account or day is
 * reported and doesn't stop the others. Mail can't be taken back, so it comes after all loading. A retry is
 * simply another run: the warehouse shows what is left. `retryAt` of the report is its start.
 */
export async function nightly(
  app: AppContext,
  request: NightlyRequest,
  signal: AbortSignal,
  executor: WindowExecutor = localExecutor,
): Promise<RunReport> {
  const wantedAt = performance.now();
  const start = { ...request, kind: isFull(request) ? 'nightly' : 'dated' } as const;
  // The watchdog watches over full runs only: it gets the start of the first one, and the result of the last one.
  const isFirst = isFull(request) && (request.number ?? 1) === 1;
  // Awaited only before the next ping, so that pings arrive in order.
  const started = isFirst ? app.ping('start') : Promise.resolve();
  try {
    const report = await withRunLock(app, start, signal, (run) => syncAndMail(run, request, executor));
    await started;
    if (isFull(request) && report.retryAt === null) await app.ping(report.exitCode, () => diagnosisText(app));
    return report;
  } catch (error) {
    await reportFailed(app, request, error, signal, wantedAt, started);
    throw error;
  }
}

/**
 * Reports the error that ended or prevented a run. It is kept for the page; the last run of a scheduled time alerts it, and pings the
 * watchdog.
 *
 * @param started none by default: perhaps another process has served the scheduled time
 */
export async function reportFailed(
  app: AppContext,
  request: NightlyRequest,
  error: unknown,
  signal: AbortSignal,
  wantedAt = performance.now(),
  started = Promise.resolve(),
): Promise<void> {
  const { failure, exitCode } = endingOf(error);
  const isInterrupted = failure === null;
  if (!isInterrupted) await started;
  // The other run reports its own result.
  if (failure?.code === 'RUN_IN_PROGRESS') return;
  const now = app.clock();
  const { command, number = 1, runDate, retryUntil = null } = request;
  const retryAt = retryAfterError(request, error, now);
  if (!isInterrupted) {
    app.unrecorded.run = {
      code: failure.code,
      detail: failure.message,
      exitCode,
      command,
      // Whoever can begin it makes up for a run that an outage didn't prevent.
      scheduledFor: isDatabaseOutage(error) ? (request.scheduledFor ?? null) : null,
      number,
      isNightly: isFull(request),
      runDate: runDate ?? today(now, app.config.planning.timeZone),
      retryUntil,
      retryAt,
      wantedAt,
    };
    if (retryAt === null && !signal.aborted) await sendLastRunFailure(app, signal, request.isWatched);
  }
  if (!isFull(request) || retryAt !== null) return;
  await app.ping(exitCode, isInterrupted ? undefined : () => diagnosisText(app, error), isInterrupted);
}

/** Does the steps of a run. Client lists are walked at the same time as windows are synced and mailed. */
async function syncAndMail(
  run: Run,
  request: NightlyRequest,
  executor: WindowExecutor,
): Promise<RunFollowUp> {
  await recordUnrecorded(run);
  const selected = await selectAccounts(run, request.accounts);
  if (isFull(request)) await retireAccounts(run);
  await recordDigestStarts(run);
  const accounts = await setFirstDays(run, spread(selected, run.id), request.days);
  const listLoads = createGate();
  await together(run, (linked) => {
    const lists = inStep(linked, 'clients', async () =>
      syncClientLists(linked, await listsDue(linked, accounts), listLoads),
    );
    return [syncWindowsAndMail(linked, request, accounts, executor, lists, listLoads), lists];
  });

  const healable = run.stats.failures.filter(mayHealIn(run));
  const nextAt = nextRetry(run.number, run.clock(), run.retryUntil);
  if (nextAt !== null && (healable.length > 0 || run.stats.mailPutOff > 0)) {
    if (alertsRefusals(run.number)) await alertRefusals(run);
    logRetry(run, healable, nextAt);
    return { retryAt: nextAt, toDo: null };
  }
  await inStep(run, 'archive', () => prune(run));
  const toDo = await inStep(run, 'alerts', () => sendRunAlerts(run, isFull(request)));
  return { retryAt: null, toDo };
}

/** Does all parts at once. If one fails, the others are aborted, and the error is thrown. */
async function together(run: Run, begin: (linked: Run) => readonly Promise<unknown>[]): Promise<void> {
  const failing = new AbortController();
  const signal = AbortSignal.any([run.signal, failing.signal]);
  const parts = begin({ ...run, signal, service: run.connect(signal, run.id, { signs: run.signs }) });
  await Promise.all(parts.map((part) => part.catch((error) => failing.abort(error))));
  signal.throwIfAborted();
}

/** Digests wait for client lists at most this long after the last window. */
const maxListWaitMs = 10_000;

/** Syncs the windows that are due and mails the digests. */
async function syncWindowsAndMail(
  run: Run,
  request: NightlyRequest,
  accounts: readonly KnownAccount[],
  executor: WindowExecutor,
  lists: Promise<unknown>,
  listLoads: Gate,
): Promise<void> {
  const windows = await inStep(run, 'windows', async () => {
    const due = await planWindows(run, accounts, request.days);
    await syncWindows(run, accounts, due, executor, false);
    return due;
  });
  run.service.endCampaigns();
  await Promise.race([lists.catch(() => {}), delay(maxListWaitMs, undefined, { ref: false })]);
  // Digests wait only for failed windows that the next run retries.
  const isRetried = nextRetry(run.number, run.clock(), run.retryUntil) !== null;
  const isWaitedFor = mayHealIn(run);
  const failed = failedWindows(run.stats.failures.filter((failure) => !isRetried || !isWaitedFor(failure)));
  const earlier = await inStep(run, 'mail', () => deliverEarlier(run));
  // No list is loaded meanwhile: it would be in neither this digest nor the next.
  const whyNone = await listLoads.exclusively(() =>
    inStep(run, 'digests', () =>
      request.digest ? makeDigests(run, failed, request.days) : skipDays(run, windows),
    ),
  );
  await inStep(run, 'mail', () => deliverDigests(run, earlier));
  const isAnyMailed = Object.values(run.stats.deliveries).some((count) => count > 0);
  run.stats.noMail = isAnyMailed ? null : whyNone;
}

/** Returns the accounts to walk: all or, in a retry, those that need another walk on this run date. */
async function listsDue(run: Run, accounts: readonly KnownAccount[]): Promise<readonly KnownAccount[]> {
  if (run.number === 1) return accounts;
  const walks = await readWalkStates(run.warehouse);
  return accounts.filter(({ name }) => {
    const walk = walks.get(name)!;
    return walk.runDate !== run.runDate || needsCompleteWalk(walk);
  });
}

/** The next run may heal an error, and nobody was asked about it before. */
const mayHealIn =
  ({ number }: Run) =>
  ({ code, isAsked }: ReportedError): boolean =>
    !isAsked && mayHeal(code, number);

function logRetry(run: Run, healable: readonly ReportedError[], at: Temporal.Instant): void {
  const windows = failedWindows(healable).length;
  const left = [
    formatCountOf(windows, 'window'),
    formatCountOf(healable.length - windows, 'client list'),
    formatCountOf(run.stats.mailPutOff, 'message'),
  ].filter((count) => !count.startsWith('0 '));
  const time = at
    .toZonedDateTimeISO(run.config.planning.timeZone)
    .toPlainTime()
    .toString({ smallestUnit: 'second' });
  run.log.warn(
    { number: run.number + 1, retryAt: at.toString() },
    `retry: ${formatList(left)} left; the next run starts at ${time}`,
  );
}

const failedWindows = (failures: readonly ReportedError[]): Window[] =>
  failures.flatMap(({ step, account, day }) =>
    step !== 'windows' || day === null ? [] : [{ account, day }],
  );

/** Returns whether a request covers all due days of all accounts. */
export const isFull = ({ days, accounts }: NightlyRequest) => days === null && accounts === null;
