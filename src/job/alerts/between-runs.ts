import { msSince } from '../../support/clock.ts';
import { readScheduledRun } from '../../warehouse/ledger/runs.ts';
import { decideRun } from '../retried-runs.ts';
import type { AppContext } from '../run/app-context.ts';
import { isAnythingUnrecorded, recordUnrecorded } from '../run/unrecorded.ts';
import { scheduledTimes } from './read-alerts.ts';
import { sendBetweenRuns } from './send-alerts.ts';

const checkEveryMs = 3_600_000;

/** In the minute of a scheduled time, its run goes first. */
const runGoesFirstMs = 60_000;

/**
 * Creates a function that checks the alerts between runs, once an hour; at each call as long as the process has something that it could
 * not write. Without the database, the next call checks.
 */
export function createAlertCheck(app: AppContext, signal: AbortSignal): () => Promise<void> {
  const times = scheduledTimes(app.config);
  let checkedAt = app.clock();
  return async () => {
    const now = app.clock();
    const isDue = isAnythingUnrecorded(app.unrecorded) || msBetween(checkedAt, now) >= checkEveryMs;
    if (!isDue || msBetween(times.newest(now), now) < runGoesFirstMs) return;
    try {
      await recordUnrecorded(app);
      const scheduledFor = times.newest(now);
      const known = await readScheduledRun(app.warehouse, scheduledFor, msSince(app.settingsReadAt));
      // A run that is retried or was cut off is followed by another one, which sends its own.
      if (!['none', 'start'].includes(decideRun(scheduledFor, known, now))) return;
      await sendBetweenRuns(app, signal);
      checkedAt = now;
    } catch (failed) {
      app.log.debug(`schedule: alert check failed: ${(failed as Error).message}`);
    }
  };
}

const msBetween = (from: Temporal.Instant, to: Temporal.Instant) =>
  to.epochMilliseconds - from.epochMilliseconds;
