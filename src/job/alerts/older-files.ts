import type { ChangedFile } from '../../config/files-at-start.ts';
import { today } from '../../model/day.ts';
import { formatDate, formatList } from '../../support/english.ts';
import { endAlert, recordUntold } from '../../warehouse/outbox/alerts.ts';
import type { AppContext } from '../run/app-context.ts';
import { olderFilesKey } from './concerns.ts';

/**
 * Creates a function that says when `schedule` runs on older files than there are: in the log at once and, because other processes
 * read the new ones, in a row that page, `status` and alerts read. Its first call ends what an earlier process said. Without the
 * database, the next call says it.
 */
export function createSayOlder(app: AppContext, changedFiles: () => ChangedFile[]): () => Promise<void> {
  let logged = '';
  let recorded: string | null = null;
  return async () => {
    const { timeZone } = app.config.planning;
    const now = app.clock();
    const said = formatList(changedFiles().map((file) => describeChanged(file, now, timeZone)));
    if (said !== logged && said !== '') app.log.warn(`schedule: ${said}: restart to use it`);
    logged = said;
    if (said === recorded) return;
    try {
      const date = today(now, timeZone);
      if (said === '') await endAlert(app.warehouse, olderFilesKey, date);
      else await recordUntold(app.warehouse, { key: olderFilesKey, title: said }, date);
      recorded = said;
    } catch (error) {
      app.log.debug(`schedule: the change of a file was not recorded: ${(error as Error).message}`);
    }
  };
}

/** `/srv/callsheet/.env changed on 27 Nov at 10:51` */
function describeChanged({ path, changedAt }: ChangedFile, now: Temporal.Instant, timeZone: string): string {
  const at = changedAt.toZonedDateTimeISO(timeZone).toPlainTime().toString({ smallestUnit: 'minute' });
  return `${path} changed on ${formatDate(today(changedAt, timeZone), today(now, timeZone))} at ${at}`;
}
