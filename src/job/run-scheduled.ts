import { Failure } from '../model/failure.ts';
import type { OnRunProgress } from '../model/run.ts';
import { decideRun, type RunDecision } from '../planning/decide-run.ts';
import { readScheduledRun } from '../warehouse/ledger/runs.ts';
import { sendErrorAlert } from './alerts/send-alerts.ts';
import { nightly } from './nightly.ts';
import type { AppContext } from './run/app-context.ts';
import { requireSchema } from './run/database.ts';
import { endingOf } from './run/ending.ts';
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
 * Runs for a scheduled time that has come, unless that was done. Resolves to false if it is to be looked at again:
 * whoever is at work may be killed, and then another restarts the run. Rejects with what ended the run, or with the
 * error of the database.
 */
export type RunScheduled = (scheduledFor: Temporal.Instant, onProgress?: OnRunProgress) => Promise<boolean>;

/** @param report is called with how each run ended */
export function createRunScheduled(
  app: AppContext,
  signal: AbortSignal,
  report: (report: RunReport) => void,
): RunScheduled {
  const decide = createDecide(app, signal);
  return async (scheduledFor, onProgress) => {
    const decision = await decide(scheduledFor);
    if (decision === 'none') return true;
    if (decision === 'stand by') {
      app.log.debug({ scheduledFor: scheduledFor.toString() }, 'schedule: another run is in progress');
      return false;
    }
    logReason(app, scheduledFor, decision);
    try {
      const request = { ...fullRun, scheduledFor: scheduledFor.toString() };
      report(await nightly(app, request, signal, onProgress));
      return true;
    } catch (error) {
      // Another process was quicker.
      if (error instanceof Failure && error.kind === 'another run') return false;
      throw error;
    }
  };
}

/** Decides by what the warehouse records; a database that stays unreachable is alerted once, since no run gets to do it. */
function createDecide(app: AppContext, signal: AbortSignal) {
  let unreachableSince: number | null = null;
  let alerted = false;
  return async (scheduledFor: Temporal.Instant): Promise<RunDecision> => {
    try {
      await requireSchema(app.warehouse);
      const decision = decideRun(scheduledFor, await readScheduledRun(app.warehouse, scheduledFor));
      unreachableSince = null;
      alerted = false;
      return decision;
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
  decision: 'start' | 'restart',
): void {
  const localTime = scheduledFor.toZonedDateTimeISO(config.planning.timeZone);
  const time = localTime.toString({ smallestUnit: 'minute' });
  const lateMs = clock().epochMilliseconds - scheduledFor.epochMilliseconds;
  if (decision === 'restart') log.warn(`schedule: the run of ${time} was cut off, restarting it`);
  else if (lateMs > missedAfterMs) log.warn(`schedule: the run of ${time} was missed, starting it now`);
}
