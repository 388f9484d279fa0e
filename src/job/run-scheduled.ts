import { Failure } from '../model/errors.ts';
import type { OnRunProgress, ScheduledRun } from '../model/run.ts';
import { decideRun, type RunDecision } from '../planning/decide-run.ts';
import { retryUntil } from '../planning/retry-attempts.ts';
import type { Interval } from '../schedule/schedule.ts';
import { scheduledTimesOf } from '../schedule/scheduled-times.ts';
import { lockHeldByOther } from '../warehouse/failures.ts';
import { readLockHolder } from '../warehouse/ledger/lock-holder.ts';
import { readScheduledRun } from '../warehouse/ledger/runs.ts';
import { sendErrorAlert } from './alerts/send-alerts.ts';
import { logWait } from './log-wait.ts';
import { attemptNightly } from './nightly.ts';
import type { AppContext } from './run/app-context.ts';
import { type Attempt, onlyAttempt, toOngoing } from './run/attempt.ts';
import { requireSchema } from './run/database.ts';
import { endingOf } from './run/ending.ts';
import type { RunReport } from './run/run.ts';
import { createTokenWatch } from './run/token-watch.ts';

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
 * Runs for a scheduled time that has come, unless that was done. Resolves to how soon it is to be looked at again:
 * whoever is at work may be killed, and then another restarts the run; or the run waits for its next attempt, which any
 * process makes. Rejects with what ended the run, or with the error of the database.
 */
export type RunScheduled = (
  scheduledFor: Temporal.Instant,
  onProgress?: OnRunProgress,
) => Promise<'done' | Interval>;

/** @param report is called with how each run ended */
export function createRunScheduled(
  app: AppContext,
  signal: AbortSignal,
  report: (report: RunReport) => void,
): RunScheduled {
  const decide = createDecide(app, signal);
  const tokenWatch = createTokenWatch(app.tokens);
  return async (scheduledFor, onProgress) => {
    const { decision, known } = await decide(scheduledFor);
    if (decision === 'none') return 'done';
    if (decision === 'stand by') {
      app.log.debug({ scheduledFor: scheduledFor.toString() }, 'schedule: another run is in progress');
      return 'five seconds';
    }
    if (decision === 'wait') return intervalUntil(app, Temporal.Instant.from(known.waiting!.retryAt));
    logReason(app, scheduledFor, decision);
    const served = decision === 'go on' ? known.waiting!.scheduledFor : scheduledFor.toString();
    const attempt = { ...attemptOf(app, decision, known), tokenWatch };
    try {
      const request = { ...fullRun, scheduledFor: served };
      const ended = await attemptNightly(app, request, attempt, signal, onProgress);
      if (ended.next !== null) {
        logWait(app, ended);
        return intervalUntil(app, ended.next.at);
      }
      report(ended.report!);
      // After the last attempt of an earlier one's, this one's run is due.
      return scheduledFor.equals(Temporal.Instant.from(served)) ? 'done' : 'five seconds';
    } catch (error) {
      // Another process was quicker.
      if (error instanceof Failure && error.code === 'RUN_IN_PROGRESS') return 'five seconds';
      throw error;
    }
  };
}

/** The attempt to make: a waiting run's next, or the first of a run, which keeps its dates where it was cut off. */
function attemptOf(
  { clock, config }: Pick<AppContext, 'clock' | 'config'>,
  decision: RunDecision,
  { waiting, runDate, retryUntil: until }: ScheduledRun,
): Attempt {
  if (decision === 'go on') {
    const ongoing = toOngoing(waiting!);
    const number = ongoing.attempts + 1;
    return { ...onlyAttempt, number, until: Temporal.Instant.from(waiting!.retryUntil), ongoing };
  }
  if (decision === 'restart' && until !== null)
    return { ...onlyAttempt, runDate, until: Temporal.Instant.from(until) };
  const firstStart = clock();
  const schedule = { expression: config.schedule, timeZone: config.planning.timeZone };
  const nextScheduled = scheduledTimesOf(schedule).next(firstStart);
  return {
    ...onlyAttempt,
    until: retryUntil({ firstStart, retryForMs: config.retryForMs, nextScheduled }),
  };
}

/** Every five seconds in the last minute, and each minute before: another process may go on sooner. */
function intervalUntil({ clock }: Pick<AppContext, 'clock'>, retryAt: Temporal.Instant): Interval {
  return retryAt.epochMilliseconds - clock().epochMilliseconds <= 60_000 ? 'five seconds' : 'minute';
}

type Decided = { readonly decision: RunDecision; readonly known: ScheduledRun };

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
      if (holder?.run === null) throw lockHeldByOther(holder);
      unreachableSince = null;
      alerted = false;
      return { decision, known };
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
  if (decision === 'go on') return;
  if (decision === 'restart') log.warn(`schedule: the run of ${time} was cut off, restarting it`);
  else if (lateMs > missedAfterMs) log.warn(`schedule: the run of ${time} was missed, starting it now`);
}
