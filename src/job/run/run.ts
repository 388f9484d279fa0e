import type { AlertInBrief } from '../../model/alert.ts';
import { type Day, today } from '../../model/day.ts';
import { Failure } from '../../model/errors.ts';
import type { ExitCode } from '../../model/exit-code.ts';
import type { RunKind, RunOutcome } from '../../model/run.ts';
import type { Service } from '../../service/service.ts';
import { msSince, withGracePeriod } from '../../support/clock.ts';
import { isDatabaseOutage } from '../../warehouse/failures.ts';
import { moveCompleteThrough } from '../../warehouse/ledger/accounts.ts';
import { hasSynced } from '../../warehouse/ledger/ledger.ts';
import { findLockHolder } from '../../warehouse/ledger/run-lock.ts';
import { anchorDatabaseClock, beginRun, type DatabaseClock, finishRun } from '../../warehouse/ledger/runs.ts';
import type { AppContext } from './app-context.ts';
import { requireSchema } from './database.ts';
import { endingOf, endingOfStats } from './ending.ts';
import { nextRetry } from './retries.ts';
import { createRunStats, type RunStats, summaryOf } from './run-stats.ts';
import { readSigns, type Signs } from './signs.ts';

export type RunRequest = {
  /** The command line, for `etl.runs`. */
  readonly command: string;
  /** The scheduled time that it serves; none by default. */
  readonly scheduledFor?: string | null;
  /** Somebody reads its output: an error that no row can be written for isn't mailed once more. */
  readonly isWatched?: boolean;
  /** 1, the default, for a first run; each retry has the next one. */
  readonly number?: number;
  /** A retry has the run date of the first run; today in `TIME_ZONE` by default. */
  readonly runDate?: Day | null;
  /** No retry starts after this; null, the default, for no retries. */
  readonly retryUntil?: Temporal.Instant | null;
};

export type RunStart = RunRequest & { readonly kind: RunKind };

/** A run while it is running: the app context, and its own state. */
export type Run = AppContext & {
  readonly id: number;
  readonly number: number;
  /** The date in `TIME_ZONE` on which its first run began. */
  readonly runDate: Day;
  readonly retryUntil: Temporal.Instant | null;
  readonly service: Service;
  readonly signs: Signs;
  /** Orders responses: `fetched_at` is taken from it before each request. */
  readonly databaseClock: DatabaseClock;
  /** Aborted when somebody interrupts the run, or when it loses the run lock. */
  readonly signal: AbortSignal;
  /** Its counts so far. */
  readonly stats: RunStats;
};

/** The retry and the active alerts that a nightly run leaves. */
export type RunFollowUp = {
  /** The time of the retry; null if there is none. */
  readonly retryAt: Temporal.Instant | null;
  /** The active alerts in brief; null if it didn't look for them. They name accounts: `etl.runs` doesn't have them. */
  readonly toDo: readonly AlertInBrief[] | null;
};

export type RunReport = RunFollowUp & {
  readonly run: number;
  readonly number: number;
  readonly runDate: Day;
  readonly outcome: RunOutcome;
  readonly exitCode: ExitCode;
  readonly ms: number;
  readonly stats: RunStats;
};

/** Does the work of a run. */
export type RunWork = (run: Run) => Promise<RunFollowUp | undefined>;

/** A longer message is cut in the summary of a run. */
const maxMessageLength = 1_000;

/** Time for the work to end once its signal is aborted; supervisors must wait longer before they kill. */
const graceMs = 6_000;

/** Takes the run lock, does `work`, and records the run in `etl.runs`, however it ends. */
export async function withRunLock(
  app: AppContext,
  start: RunStart,
  signal: AbortSignal,
  work: RunWork,
): Promise<RunReport> {
  await requireSchema(app.warehouse);
  const lock = await app.takeRunLock();
  if (lock === null) {
    const by = await findLockHolder(app.warehouse);
    throw new Failure(
      'RUN_IN_PROGRESS',
      by
        ? `another run is running (run ${by.id} on ${by.host}, since ${by.startedAt})`
        : 'another run held the run lock and has just ended',
    );
  }
  try {
    return await recorded(app, start, AbortSignal.any([signal, lock.lost]), work, true);
  } finally {
    await lock.release();
  }
}

/** Does `work` and records the run, whatever holds the run lock meanwhile. */
export async function withoutRunLock(
  app: AppContext,
  start: RunStart,
  signal: AbortSignal,
  work: RunWork,
): Promise<RunReport> {
  await requireSchema(app.warehouse);
  return await recorded(app, start, signal, work, false);
}

async function recorded(
  app: AppContext,
  start: RunStart,
  signal: AbortSignal,
  work: RunWork,
  exclusive: boolean,
): Promise<RunReport> {
  const { warehouse, config } = app;
  const { scheduledFor = null, number = 1, retryUntil = null } = start;
  const service = config.service.baseUrl;
  await app.compareClocks(warehouse);
  const now = today(app.clock(), config.planning.timeZone);
  // The first run's date is by the clock as it was when that began, or by that of the machine alone.
  const runDate = start.runDate == null || start.runDate > now ? now : start.runDate;
  const databaseClock = await anchorDatabaseClock(warehouse);
  const series = { number, runDate, retryUntil };
  // The row comes first: whatever ends the run leaves a trace.
  const id = await beginRun(warehouse, {
    ...start,
    ...series,
    service: service || null,
    scheduledFor,
    exclusive,
  });
  const stats = createRunStats();
  const began = performance.now();

  async function connectAndWork() {
    const signs = await readSigns(warehouse, service, runDate);
    const connected = app.connect(signal, id, { signs });
    const log = app.log.child({ run: id });
    return await work({
      ...app,
      ...series,
      id,
      log,
      databaseClock,
      signal,
      stats,
      signs,
      service: connected,
    });
  }

  try {
    const { retryAt = null, toDo = null } = (await withGracePeriod(connectAndWork(), signal, graceMs)) ?? {};
    const syncedEarlier = number > 1 && stats.failures.length > 0 && (await hasSynced(warehouse, runDate));
    const ending = endingOfStats(stats, syncedEarlier);
    await moveCompleteThrough(warehouse);
    await finishRun(warehouse, id, { ...ending, retryAt, summary: summaryOf(stats) });
    return {
      run: id,
      number,
      runDate,
      ...ending,
      ms: msSince(began),
      stats,
      retryAt,
      toDo,
    };
  } catch (error) {
    const { failure, ...ending } = endingOf(error);
    // An unexpected error may hold anything, and the rows of runs outlive it.
    const isExpected = failure !== null && failure.code !== 'INTERNAL';
    const { message } = failure ?? (error as Error);
    const ended = isExpected ? app.redactOwn(message) : app.redact(message, maxMessageLength);
    const end = {
      ...ending,
      retryAt: retryAfterError(start, error, app.clock()),
      summary: { ...summaryOf(stats), ended, endedCode: failure?.code ?? null },
    };
    // The database may be down, and the first error matters more.
    await finishRun(warehouse, id, end).catch(() => {
      app.unrecorded.ending = { run: id, end };
    });
    throw error;
  } finally {
    app.onProgress(null);
  }
}

/**
 * Returns the time of the retry after an error that ended a run; null if there is none: only outages of the
 * database are retried.
 */
export function retryAfterError(
  { number = 1, retryUntil = null }: Omit<RunRequest, 'command'>,
  error: unknown,
  now: Temporal.Instant,
): Temporal.Instant | null {
  return isDatabaseOutage(error) ? nextRetry(number, now, retryUntil) : null;
}
