import type { ChangedFile } from '../../config/files-at-start.ts';
import { today } from '../../model/day.ts';
import { formatDate, formatList } from '../../support/english.ts';
import { endAlert, recordAlert } from '../../warehouse/outbox/alerts.ts';
import type { AppContext } from '../run/app-context.ts';
import { isAnythingUnrecorded, recordUnrecorded } from '../run/unrecorded.ts';
import type { AlertCode } from './conditions.ts';
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
      await sendBetweenRuns(app, signal);
      checkedAt = now;
    } catch (failed) {
      app.log.debug(`schedule: alert check failed: ${(failed as Error).message}`);
    }
  };
}

const msBetween = (from: Temporal.Instant, to: Temporal.Instant) =>
  to.epochMilliseconds - from.epochMilliseconds;

/**
 * Reports files that changed after `schedule` read them: in the log and, because other processes read the new ones, in a row that
 * page, `status` and alerts read. The first call ends what an earlier process reported; another replica that runs on older
 * files reports it again at its next call. Without the database, the next call records it.
 */
export function createFileChangeReport(app: AppContext, changedFiles: () => ChangedFile[]) {
  const { timeZone } = app.config.planning;
  const key: AlertCode = 'FILES_CHANGED';
  let logged = '';
  let recorded: string | null = null;

  async function record(changes: string): Promise<void> {
    if (changes === '' && recorded === '') return;
    const date = today(app.clock(), timeZone);
    try {
      if (changes === '') await endAlert(app.warehouse, key, date);
      else await recordAlert(app.warehouse, { key, title: changes }, date, null);
      recorded = changes;
    } catch (error) {
      app.log.debug(`schedule: the change of a file was not recorded: ${(error as Error).message}`);
    }
  }

  return {
    async report(): Promise<void> {
      const changes = formatList(changedFiles().map((file) => describeChanged(file, app.clock(), timeZone)));
      if (changes !== logged && changes !== '') app.log.warn(`schedule: ${changes}: restart to use it`);
      logged = changes;
      await record(changes);
    },
    /** A process that stopped runs on nothing. */
    end: () => record(''),
  };
}

/** `/srv/callsheet/.env changed on 27 Nov at 10:51` */
function describeChanged({ path, changedAt }: ChangedFile, now: Temporal.Instant, timeZone: string): string {
  const at = changedAt.toZonedDateTimeISO(timeZone).toPlainTime().toString({ smallestUnit: 'minute' });
  return `${path} changed on ${formatDate(today(changedAt, timeZone), today(now, timeZone))} at ${at}`;
}
