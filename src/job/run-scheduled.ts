import { type Day, today } from '../model/day.ts';
import { Failure, lineOf } from '../model/errors.ts';
import { exitCode } from '../model/exit-code.ts';
import type { ScheduledRun } from '../model/run.ts';
import type { Interval } from '../schedule/schedule.ts';
import { scheduledTimesOf } from '../schedule/scheduled-times.ts';
import { lockHeldByOther } from '../warehouse/failures.ts';
import { readLockHolder } from '../warehouse/ledger/run-lock.ts';
import { readScheduledRun } from '../warehouse/ledger/runs.ts';
import { type NightlyRequest, nightly, reportUnbegun } from './nightly.ts';
import type { AppContext } from './run/app-context.ts';
import { requireSchema } from './run/database.ts';
import { endingOf } from './run/ending.ts';
import { retryUntil } from './run/retries.ts';
import { type RunReport, retryAfterError } from './run/run.ts';

/** A run that starts so long after its scheduled time was missed. */
const missedAfterMs = 60_000;

const fullRun = {
  command: 'schedule',
  days: null,
  accounts: null,
  digest: true,
};

/**
 * Runs for a scheduled time, unless that was done. Resolves to how soon to look again: the running run may be
 * killed, and then another process restarts it; or any process may retry it later. Rejects with the error that
 * ended the last run of the scheduled time.
 */
export type RunScheduled = (scheduledFor: Temporal.Instant) => Promise<'done' | Interval>;

/** The common state of the runs of a scheduled time. */
type Series = {
  readonly runDate: Day;
  readonly retryUntil: Temporal.Instant | null;
};

/** A run that an outage of the database prevented or ended: no row may say when it is retried. */
type FailedRun = Series & {
  readonly scheduledFor: Temporal.Instant;
  readonly number: number;
  readonly retryAt: Temporal.Instant;
};

/** @param report is called with how each run ended */
export function createRunScheduled(
  app: AppContext,
  signal: AbortSignal,
  report: (report: RunReport) => void,
): RunScheduled {
  let failed: FailedRun | null = null;
  return async (scheduledFor) => {
    if (failed !== null && !failed.scheduledFor.equals(scheduledFor)) failed = null;
    if (failed !== null && Temporal.Instant.compare(failed.retryAt, app.clock()) > 0)
      return intervalUntil(app, failed.retryAt);
    let run = requestOf(scheduledFor, failed?.number ?? 0, failed ?? firstSeries(app));
    try {
      const { decision, newest } = await decideOrEnd(scheduledFor, run);
      if (decision === 'none') {
        failed = null;
        return 'done';
      }
      if (decision === 'stand by') {
        app.log.debug({ scheduledFor: scheduledFor.toString() }, 'schedule: another run is running');
        return 'five seconds';
      }
      if (decision === 'wait')
        return intervalUntil(app, newest?.retryAt ? Temporal.Instant.from(newest.retryAt) : scheduledFor);
      if (newest !== null)
        run = requestOf(scheduledFor, Math.max(newest.number, failed?.number ?? 0), seriesOf(newest));
      // The clocks have been compared since.
      else if (failed === null) run = requestOf(scheduledFor, 0, firstSeries(app));
      logReason(app, scheduledFor, decision);
      const ended = await nightly(app, run, signal);
      failed = null;
      report(ended);
      return ended.retryAt === null ? 'done' : intervalUntil(app, ended.retryAt);
    } catch (error) {
      // Another process started first.
      if (error instanceof Failure && error.code === 'RUN_IN_PROGRESS') return 'five seconds';
      const { number, runDate } = run;
      const retryAt = retryAfterError(run, error, app.clock());
      failed = null;
      if (retryAt === null) throw error;
      failed = {
        scheduledFor,
        number,
        runDate,
        retryUntil: run.retryUntil,
        retryAt,
      };
      logOutage(app, scheduledFor, error, retryAt);
      return intervalUntil(app, retryAt);
    }
  };

  /** Decides by the records of the warehouse. A run that can't begin is retried, alerted and ended like one that failed. */
  async function decideOrEnd(scheduledFor: Temporal.Instant, run: NightlyRequest): Promise<Decided> {
    try {
      await requireSchema(app.warehouse);
      await app.compareClocks(app.warehouse);
      const known = await readScheduledRun(
        app.warehouse,
        scheduledFor,
        performance.now() - app.settingsReadAt,
      );
      const decision = decideRun(scheduledFor, known, app.clock());
      const holder = decision === 'stand by' ? await readLockHolder(app.warehouse) : null;
      if (holder?.run === null) throw lockHeldByOther();
      return { decision, newest: known.newest };
    } catch (error) {
      await reportUnbegun(app, run, error, signal);
      throw error;
    }
  }
}

const requestOf = (
  scheduledFor: Temporal.Instant,
  numberBefore: number,
  { runDate, retryUntil }: Series,
) => ({
  ...fullRun,
  scheduledFor: scheduledFor.toString(),
  number: numberBefore + 1,
  runDate,
  retryUntil,
});

function firstSeries({ clock, config }: AppContext): Series {
  const firstStart = clock();
  const { timeZone } = config.planning;
  const nextScheduled = scheduledTimesOf({ expression: config.schedule, timeZone }).next(firstStart);
  return {
    runDate: today(firstStart, timeZone),
    retryUntil: retryUntil(firstStart, config.retryForMs, nextScheduled),
  };
}

/** A retry keeps the first run's run date and end, and so does the restart of a run that was cut off. */
const seriesOf = ({ runDate, retryUntil: until }: NonNullable<ScheduledRun['newest']>): Series => ({
  runDate,
  retryUntil: until === null ? null : Temporal.Instant.from(until),
});

/** Every five seconds in the last minute, and each minute before: another process may do it sooner. */
function intervalUntil({ clock }: AppContext, retryAt: Temporal.Instant): Interval {
  return retryAt.epochMilliseconds - clock().epochMilliseconds <= 60_000 ? 'five seconds' : 'minute';
}

type Decided = Pick<ScheduledRun, 'newest'> & { readonly decision: RunDecision };

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
  if (Temporal.Instant.compare(scheduledFor, now) > 0) return 'wait';
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

const isAhead = (instant: string, now: Temporal.Instant) =>
  Temporal.Instant.compare(Temporal.Instant.from(instant), now) > 0;

function logReason(app: AppContext, scheduledFor: Temporal.Instant, decision: RunDecision): void {
  const { log, clock } = app;
  const time = formatScheduled(app, scheduledFor);
  const lateMs = clock().epochMilliseconds - scheduledFor.epochMilliseconds;
  if (decision === 'retry') return;
  if (decision === 'restart') log.warn(`schedule: the run of ${time} was cut off, restarting it`);
  else if (lateMs > missedAfterMs) log.warn(`schedule: the run of ${time} was missed, starting it now`);
}

function logOutage(
  app: AppContext,
  scheduledFor: Temporal.Instant,
  error: unknown,
  retryAt: Temporal.Instant,
): void {
  const { failure } = endingOf(error);
  const time = retryAt.toZonedDateTimeISO(app.config.planning.timeZone).toPlainTime();
  app.log.error(
    { code: failure!.code, retryAt: retryAt.toString() },
    `schedule: the run of ${formatScheduled(app, scheduledFor)} failed; retry at ${time.toString({ smallestUnit: 'second' })}: ${lineOf(failure!)}`,
  );
}

const formatScheduled = ({ config }: AppContext, scheduledFor: Temporal.Instant) =>
  scheduledFor.toZonedDateTimeISO(config.planning.timeZone).toString({ smallestUnit: 'minute' });
