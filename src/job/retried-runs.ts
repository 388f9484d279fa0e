import { type Day, today } from '../model/day.ts';
import { Failure, lineOf } from '../model/errors.ts';
import { exitCode } from '../model/exit-code.ts';
import type { ScheduledRun } from '../model/run.ts';
import { scheduledTimesOf } from '../schedule/scheduled-times.ts';
import { pause } from '../support/clock.ts';
import { formatScheduledTime } from '../support/english.ts';
import { findLockHolder } from '../warehouse/ledger/run-lock.ts';
import { readScheduledRun } from '../warehouse/ledger/runs.ts';
import { isFull, type NightlyRequest, nightly, reportFailed } from './nightly.ts';
import type { AppContext } from './run/app-context.ts';
import { requireSchema } from './run/database.ts';
import { endingOf } from './run/ending.ts';
import { retryUntil } from './run/retries.ts';
import { type RunReport, retryAfterError } from './run/run.ts';
import { recordUnrecorded } from './run/unrecorded.ts';
import { localExecutor, type WindowExecutor } from './windows/sync-windows.ts';

/** A run that starts so long after its scheduled time was missed. */
const missedAfterMs = 60_000;
/** The interval at which to look again while another run is running. */
const standByMs = 5_000;
/** A retry of a command waits for another run until so long after the end of its retries. */
const maxLockWaitMs = 900_000;
/** A timer stands still while the machine is suspended: the clock is read at least this often. */
const maxPauseMs = 60_000;

export type RetriedRunsOptions = {
  /** Runs end their retries after so long, and at the latest at the next scheduled time. */
  readonly retryForMs: number;
  readonly executor?: WindowExecutor;
  /** Returns the error of the settings as they are now, with which no run begins; null if they are right. */
  readonly wrongSettings?: () => Failure | null;
  /** Called with how each run ended. */
  readonly report: (report: RunReport) => void;
};

/**
 * Does the next run of a scheduled time, or of a command if that is null, once it is due. Resolves to when to look again: the
 * running run may be killed, and then another process restarts it; or any process may retry it. Resolves to `done` if no run
 * follows. Rejects with the error that ended the last one.
 */
export type DoNextRun = (scheduledFor: Temporal.Instant | null) => Promise<'done' | Temporal.Instant>;

/** The newest run of a scheduled time or a command, as far as the next one depends on it. */
type Newest = {
  readonly number: number;
  readonly runDate: Day;
  readonly retryUntil: Temporal.Instant | null;
  /** Null if it isn't retried. */
  readonly retryAt: Temporal.Instant | null;
};

/** The runs of `schedule` and of `run --retry-for` (docs/scheduling.md). */
export function createRetriedRuns(
  app: AppContext,
  template: NightlyRequest,
  signal: AbortSignal,
  { retryForMs, executor = localExecutor, wrongSettings = () => null, report }: RetriedRunsOptions,
): DoNextRun {
  const { timeZone } = app.config.planning;
  const named = (time: Temporal.Instant) => formatScheduledTime(time, timeZone, app.clock());
  // The newest run of this command.
  let own: Newest | null = null;

  return async (scheduledFor) => {
    const { run: kept } = app.unrecorded;
    // No row says yet how the newest run of a scheduled time ended.
    const keptOne = kept?.scheduledFor === scheduledFor?.toString() ? kept : null;
    const newest = scheduledFor === null ? own : keptOne;
    if (newest?.retryAt && isAhead(newest.retryAt, app.clock())) return newest.retryAt;
    let run = requestAfter(newest, scheduledFor);
    try {
      if (scheduledFor !== null) {
        const due = await findDue(scheduledFor, run);
        if (due === 'done' || due instanceof Temporal.Instant) return due;
        run = due;
      }
      const ended = await nightly(app, run, signal, executor);
      own = { ...run, retryAt: ended.retryAt };
      report(ended);
      return ended.retryAt ?? 'done';
    } catch (error) {
      if (standsBy(error, run)) return app.clock().add({ milliseconds: standByMs });
      const retryAt = retryAfterError(run, error, app.clock());
      if (retryAt === null) throw error;
      own = { ...run, retryAt };
      const { failure } = endingOf(error);
      const time = retryAt.toZonedDateTimeISO(timeZone).toPlainTime().toString({ smallestUnit: 'second' });
      const which = scheduledFor === null ? 'retry: the run' : `schedule: the run of ${named(scheduledFor)}`;
      app.log.error(
        { code: failure!.code, retryAt: retryAt.toString() },
        `${which} failed; retry at ${time}: ${lineOf(failure!)}`,
      );
      return retryAt;
    }
  };

  function requestAfter(newest: Newest | null, scheduledFor: Temporal.Instant | null) {
    const now = app.clock();
    const nextScheduled =
      scheduledFor === null
        ? null
        : scheduledTimesOf({ expression: app.config.schedule, timeZone }).next(now);
    return {
      ...template,
      scheduledFor: scheduledFor?.toString() ?? null,
      number: (newest?.number ?? 0) + 1,
      // A retry keeps the first run's run date and end, and so does the restart of a run that was cut off.
      runDate: newest === null ? today(now, timeZone) : newest.runDate,
      retryUntil: newest === null ? retryUntil(now, retryForMs, nextScheduled) : newest.retryUntil,
    };
  }

  /** Another run is running. The first run of a command ends; a retry waits for it, unless that was this retry. */
  function standsBy(error: unknown, { scheduledFor, number, retryUntil: until }: typeof template): boolean {
    if (!(error instanceof Failure) || error.code !== 'RUN_IN_PROGRESS') return false;
    if (scheduledFor !== null) return true;
    const givesUpAt = until?.add({ milliseconds: maxLockWaitMs });
    return number !== 1 && givesUpAt !== undefined && isAhead(givesUpAt, app.clock());
  }

  /** Returns the run that is due by the records of the warehouse. One that can't begin is retried, alerted and ended like one that failed. */
  async function findDue(
    scheduledFor: Temporal.Instant,
    run: ReturnType<typeof requestAfter>,
  ): Promise<'done' | Temporal.Instant | typeof run> {
    let attempted = run;
    try {
      await requireSchema(app.warehouse);
      await app.compareClocks(app.warehouse);
      await recordUnrecorded(app);
      const known = await readScheduledRun(
        app.warehouse,
        scheduledFor,
        performance.now() - app.settingsReadAt,
      );
      const decision = decideRun(scheduledFor, known, app.clock());
      const newest = newestOf(known);
      if (decision === 'none') return 'done';
      if (decision === 'wait') return newest?.retryAt ?? scheduledFor;
      if (decision === 'stand by') {
        await findLockHolder(app.warehouse);
        return app.clock().add({ milliseconds: standByMs });
      }
      // The clocks have been compared since.
      attempted = requestAfter(newest, scheduledFor);
      const lateMs = app.clock().epochMilliseconds - scheduledFor.epochMilliseconds;
      if (decision === 'restart')
        app.log.warn(`schedule: the run of ${named(scheduledFor)} was cut off, restarting it`);
      else if (decision === 'start' && lateMs > missedAfterMs)
        app.log.warn(`schedule: the run of ${named(scheduledFor)} was missed, starting it now`);
      const wrong = wrongSettings();
      if (wrong !== null) throw wrong;
      return attempted;
    } catch (error) {
      await reportFailed(app, attempted, error, signal);
      throw error;
    }
  }
}

/**
 * The nightly job with as many runs as needed, in this process: `run --retry-for`. Returns the report of the last run. An abort of
 * `signal` ends the waiting at once.
 *
 * @param wait tests simulate time
 */
export async function retriedRun(
  app: AppContext,
  request: NightlyRequest,
  signal: AbortSignal,
  { wait = pause, ...options }: Omit<RetriedRunsOptions, 'report'> & { readonly wait?: typeof pause },
): Promise<RunReport> {
  // If the database can't be used, the first run that begins compares them.
  await app.compareClocks(app.warehouse).catch(() => {});
  let last: RunReport;
  const report = (ended: RunReport) => {
    last = ended;
  };
  const doNextRun = createRetriedRuns(app, request, signal, { ...options, report });
  for (;;) {
    const next = await doNextRun(null);
    if (next === 'done') return last!;
    const ms = next.epochMilliseconds - app.clock().epochMilliseconds;
    try {
      await wait(Math.min(Math.max(ms, 0), maxPauseMs), signal);
    } catch (error) {
      // If it is interrupted between two runs, that is the result of all of them.
      if (isFull(request)) await app.ping(endingOf(error).exitCode, undefined, true);
      throw error;
    }
  }
}

function newestOf({ newest }: ScheduledRun): Newest | null {
  if (newest === null) return null;
  const instantOf = (text: string | null) => (text === null ? null : Temporal.Instant.from(text));
  return { ...newest, retryUntil: instantOf(newest.retryUntil), retryAt: instantOf(newest.retryAt) };
}

/**
 * The decision on a scheduled time. `none`: no run, or no further one; `stand by`: another run is running,
 * perhaps for it; `start`: its run was missed or is due; `restart`: its run was cut off; `wait`: it or its retry is
 * ahead; `retry`: its retry is due.
 */
type RunDecision = 'none' | 'stand by' | 'start' | 'restart' | 'wait' | 'retry';

/** Decides by the newest run of the scheduled time. Pure. */
export function decideRun(
  scheduledFor: Temporal.Instant,
  { installedAt, newest, lockHeld }: ScheduledRun,
  now: Temporal.Instant,
): RunDecision {
  // The machine's clock alone says that it has come.
  if (isAhead(scheduledFor, now)) return 'wait';
  // A new installation waits for its first scheduled time: earlier ones weren't missed.
  if (newest === null && isAhead(installedAt, scheduledFor)) return 'none';
  const isCutOff = newest !== null && (newest.outcome === null || newest.outcome === 'interrupted');
  const retryAt = newest?.retryAt ?? null;
  if (newest !== null && !isCutOff && retryAt === null && !isMended(newest, now)) return 'none';
  if (!isCutOff && retryAt !== null && isAhead(retryAt, now)) return 'wait';
  if (lockHeld) return 'stand by';
  if (newest === null) return 'start';
  return isCutOff ? 'restart' : 'retry';
}

/** Returns whether a run failed at a token or a setting that somebody may have corrected since. */
const isMended = (
  { exitCode: code, isOlderThanSettings, retryUntil: until }: NonNullable<ScheduledRun['newest']>,
  now: Temporal.Instant,
): boolean =>
  (code === exitCode.tokenRefused || code === exitCode.configuration) &&
  isOlderThanSettings &&
  until !== null &&
  isAhead(until, now);

const isAhead = (instant: string | Temporal.Instant, now: Temporal.Instant) =>
  Temporal.Instant.compare(instant, now) > 0;
