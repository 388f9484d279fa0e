import { statusOf } from '../../job/alerts/account-status.ts';
import { type AlertContext, readState } from '../../job/alerts/read-alerts.ts';
import { addDays, yesterday } from '../../model/day.ts';
import type { Queries } from '../../warehouse/db/database.ts';
import { readCoverage } from '../../warehouse/queries/coverage.ts';
import { readNewestDigests } from '../../warehouse/queries/digest-history.ts';
import { readPerformance } from '../../warehouse/queries/performance.ts';
import { readQuarantine } from '../../warehouse/queries/quarantine.ts';
import { readNights, readRuns } from '../../warehouse/queries/run-history.ts';
import type { PageTime } from './elements.ts';

export type Overview = Readonly<Awaited<ReturnType<typeof readOverview>>>;

export const weeksShown = 13;
/** Four weeks of figures and of runs are drawn as bars. */
const daysDrawn = 28;
const runsShown = 7;
const groupsShown = 20;

/** Reads everything that the operator's page shows. */
export async function readOverview(warehouse: Queries, time: PageTime, context: AlertContext) {
  const { accounts, alerts } = await readState(warehouse, context);
  const zones = [time.timeZone, ...accounts.map((account) => account.timeZone)];
  const yesterdays = zones.map((zone) => yesterday(time.now, zone));
  const latestYesterday = yesterdays.sort().at(-1)!;
  const { dayOfWeek } = Temporal.PlainDate.from(latestYesterday);
  // First day of the calendar. The last of its thirteen weeks contains the latest yesterday.
  const from = addDays(latestYesterday, 1 - dayOfWeek - 7 * (weeksShown - 1));
  return {
    ...time,
    alerts,
    accounts: accounts.map(statusOf),
    from,
    coverage: await readCoverage(warehouse, time.now, from),
    performance: await readPerformance(warehouse, addDays(latestYesterday, 1 - daysDrawn)),
    runs: await readRuns(warehouse, runsShown),
    nights: await readNights(warehouse, daysDrawn),
    digests: await readNewestDigests(warehouse),
    quarantine: await readQuarantine(warehouse, groupsShown),
  };
}
