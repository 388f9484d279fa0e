import { Failure } from '../model/errors.ts';
import type { ScheduledRun } from '../model/run.ts';
import type { Interval } from '../schedule/schedule.ts';
import { scheduledTimesOf } from '../schedule/scheduled-times.ts';
import { lockHeldByOther } from '../warehouse/failures.ts';
import { readLockHolder } from '../warehouse/ledger/run-lock.ts';
import { readScheduledRun } from '../warehouse/ledger/runs.ts';
import { sendErrorAlert } from './alerts/send-alerts.ts';
import { decideRun, type RunDecision } from './decide-run.ts';
import { nightly } from './nightly.ts';
import type { AppContext } from './run/app-context.ts';
import { requireSchema } from './run/database.ts';
import { endingOf } from './run/ending.ts';
import { retryUntil } from './run/retries.ts';
import type { RunReport } from './run/run.ts';

/** A run that starts later than this after its scheduled time was missed. */
const missedAfterMs = 60_000;

const fullRun = {
  command: 'schedule',
  days: null,
  accounts: null,
  digest: true,
};

/** How long the database may be unreachable before that is alerted: it may start together with us. */
const unreachableLimitMs = 60_000;

/**
 * Runs for a scheduled time that has come, unless that was done. Resolves to how soon it is to be looked at again: the
 * run at work may be killed, and then another one restarts it; or it is retried later, by any process. Rejects with the
 * error that ended the run, or with that of the database.
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
      // Another process was quicker.
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

/** A retry, or the restart of a run that was cut off, keeps run date and end of the first run. */
function nextRun({ number, runDate, retryUntil: until }: NonNullable<ScheduledRun['newest']>) {
  return {
    number: number + 1,
    runDate,
    retryUntil: until === null ? null : Temporal.Instant.from(until),
  };
}

/** Every five seconds in the last minute, and each minute before: another process may go on sooner. */
function intervalUntil({ clock }: AppContext, retryAt: Temporal.Instant): Interval {
  return retryAt.epochMilliseconds - clock().epochMilliseconds <= 60_000 ? 'five seconds' : 'minute';
}

type Decided = Pick<ScheduledRun, 'newest'> & { readonly decision: RunDecision };

/**
 * Decides by what the warehouse records. A database that stays unreachable, or a run lock that nobody's run holds, is
 * alerted once, since no run gets to do it.
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
        await app.ping(endingOf(error).exitCode);
      }
      throw error;
    }
  };
}

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
