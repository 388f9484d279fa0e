import { Failure } from '../model/errors.ts';
import type { ScheduledRun } from '../model/run.ts';
import type { Interval } from '../schedule/schedule.ts';
import { scheduledTimesOf } from '../schedule/scheduled-times.ts';
import { lockHeldByOther } from '../warehouse/failures.ts';
import { readLockHolder } from '../warehouse/ledger/run-lock.ts';
import { readScheduledRun } from '../warehouse/ledger/runs.ts';
import { diagnosisText, sendErrorAlert } from './alerts/send-alerts.ts';
import { nightly } from './nightly.ts';
import type { AppContext } from './run/app-context.ts';
import { requireSchema } from './run/database.ts';
import { endingOf } from './run/ending.ts';
import { retryUntil } from './run/retries.ts';
import type { RunReport } from './run/run.ts';

/** A run that starts so long after its scheduled time was missed. */
const missedAfterMs = 60_000;

const fullRun = {
  command: 'schedule',
  days: null,
  accounts: null,
  digest: true,
};

/** An outage of the database is alerted after so long: both may start at the same time. */
const unreachableLimitMs = 60_000;

/**
 * Runs for a scheduled time, unless that was done. Resolves to how soon to look again: the running run may be
 * killed, and then another process restarts it; or any process may retry it later. Rejects with the error that
 * ended the run, or with that of the database.
 */
export type RunScheduled = (scheduledFor: Temporal.Instant) => Promise<'done' | Interval>;

/** @param report is called with how each run ended */
export function createRunScheduled(
  app: AppContext,
  signal: AbortSignal,
  report: (report: RunReport) => void,
): RunScheduled {
  const decide = createDecide(app, signal);
  return async (scheduledFor) => {
    const { decision, newest } = await decide(scheduledFor);
    if (decision === 'none') return 'done';
    if (decision === 'stand by') {
      app.log.debug({ scheduledFor: scheduledFor.toString() }, 'schedule: another run is in progress');
      return 'five seconds';
    }
    if (decision === 'wait') return intervalUntil(app, Temporal.Instant.from(newest!.retryAt!));
    logReason(app, scheduledFor, decision);
    const request = newest === null ? firstRun(app) : nextRun(newest);
    try {
      const run = { ...fullRun, ...request, scheduledFor: scheduledFor.toString() };
      const ended = await nightly(app, run, signal);
      report(ended);
      return ended.retryAt === null ? 'done' : intervalUntil(app, ended.retryAt);
    } catch (error) {
      // Another process started first.
      if (error instanceof Failure && error.code === 'RUN_IN_PROGRESS') return 'five seconds';
      throw error;
    }
  };
}

function firstRun({ clock, config }: AppContext) {
  const firstStart = clock();
  const schedule = { expression: config.schedule, timeZone: config.planning.timeZone };
  const nextScheduled = scheduledTimesOf(schedule).next(firstStart);
  return { retryUntil: retryUntil(firstStart, config.retryForMs, nextScheduled) };
}

/** A retry keeps the first run's run date and end, and so does the restart of a run that was cut off. */
function nextRun({ number, runDate, retryUntil: until }: NonNullable<ScheduledRun['newest']>) {
  return {
    number: number + 1,
    runDate,
    retryUntil: until === null ? null : Temporal.Instant.from(until),
  };
}

/** Every five seconds in the last minute, and each minute before: another process may do it sooner. */
function intervalUntil({ clock }: AppContext, retryAt: Temporal.Instant): Interval {
  return retryAt.epochMilliseconds - clock().epochMilliseconds <= 60_000 ? 'five seconds' : 'minute';
}

type Decided = Pick<ScheduledRun, 'newest'> & { readonly decision: RunDecision };

/**
 * Decides by the records of the warehouse. A long outage of the database is alerted once, and so is a run lock
 * held by no run: there is no run to alert it.
 */
function createDecide(app: AppContext, signal: AbortSignal) {
  let unreachableSince: number | null = null;
  let alerted = false;
  return async (scheduledFor: Temporal.Instant): Promise<Decided> => {
    try {
      await requireSchema(app.warehouse);
      const known = await readScheduledRun(app.warehouse, scheduledFor);
      const decision = decideRun(scheduledFor, known, app.clock());
      const holder = decision === 'stand by' ? await readLockHolder(app.warehouse) : null;
      if (holder?.run === null) throw lockHeldByOther();
      unreachableSince = null;
      alerted = false;
      return { decision, newest: known.newest };
    } catch (error) {
      const now = app.clock().epochMilliseconds;
      unreachableSince ??= now;
      if (!alerted && now - unreachableSince >= unreachableLimitMs) {
        alerted = true;
        await sendErrorAlert(app, error, signal);
        await app.ping(endingOf(error).exitCode, () => diagnosisText(app, error));
      }
      throw error;
    }
  };
}

/**
 * The decision on a scheduled time. `none`: no run, or no further one; `stand by`: another run is running,
 * perhaps for it; `start`: its run was missed or is due; `restart`: its run was cut off; `wait`: its retry is
 * ahead; `retry`: its retry is due.
 */
type RunDecision = 'none' | 'stand by' | 'start' | 'restart' | 'wait' | 'retry';

/** Decides by the newest run of the scheduled time. Pure. */
export function decideRun(
  scheduledFor: Temporal.Instant,
  { installedAt, newest, lockHeld }: ScheduledRun,
  now: Temporal.Instant,
): RunDecision {
  // A new installation waits for its first scheduled time: earlier ones weren't missed.
  if (newest === null && isAhead(installedAt, scheduledFor)) return 'none';
  const isCutOff = newest !== null && (newest.outcome === null || newest.outcome === 'interrupted');
  const retryAt = newest?.retryAt ?? null;
  if (newest !== null && !isCutOff && retryAt === null) return 'none';
  if (!isCutOff && retryAt !== null && isAhead(retryAt, now)) return 'wait';
  if (lockHeld) return 'stand by';
  if (newest === null) return 'start';
  return isCutOff ? 'restart' : 'retry';
}

const isAhead = (instant: string, now: Temporal.Instant) =>
  Temporal.Instant.compare(Temporal.Instant.from(instant), now) > 0;

function logReason(
  { log, clock, config }: AppContext,
  scheduledFor: Temporal.Instant,
  decision: RunDecision,
): void {
  const localTime = scheduledFor.toZonedDateTimeISO(config.planning.timeZone);
  const time = localTime.toString({ smallestUnit: 'minute' });
  const lateMs = clock().epochMilliseconds - scheduledFor.epochMilliseconds;
  if (decision === 'retry') return;
  if (decision === 'restart') log.warn(`schedule: the run of ${time} was cut off, restarting it`);
  else if (lateMs > missedAfterMs) log.warn(`schedule: the run of ${time} was missed, starting it now`);
}
