import { type AlertContext, readAlerts } from '../../job/alerts/read-alerts.ts';
import { readHeldFigures } from '../../job/windows/read-held.ts';
import type { Day } from '../../model/day.ts';
import type { Queries } from '../../warehouse/db/database.ts';
import { readCoveredDay } from '../../warehouse/queries/coverage.ts';
import { readQuarantinedRecords } from '../../warehouse/queries/quarantine.ts';
import { readRestatements } from '../../warehouse/queries/restatements.ts';

export type DayDetails = NonNullable<Awaited<ReturnType<typeof readDay>>>;

const restatementsShown = 50;
const recordsShown = 20;

/** All that the page of a day shows; null where that day isn't expected, or the account isn't known. */
export async function readDay(warehouse: Queries, account: string, day: Day, context: AlertContext) {
  const covered = await readCoveredDay(warehouse, account, day);
  if (covered === null) return null;
  const alerts = await readAlerts(warehouse, context);
  return {
    covered,
    alerts: alerts.filter((alert) => alert.account === account && alert.days.includes(day)),
    held: covered.held ? await readHeldFigures(warehouse, covered) : null,
    restated: await readRestatements(warehouse, covered, restatementsShown),
    quarantined: await readQuarantinedRecords(warehouse, covered, recordsShown),
  };
}
