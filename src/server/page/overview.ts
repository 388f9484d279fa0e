import type { AppContext } from '../../job/run/app-context.ts';
import { addDays, type Day } from '../../model/day.ts';
import { yesterday } from '../../planning/business-day.ts';
import type { Queries } from '../../warehouse/db/database.ts';
import { type CoveredDay, readCoverage } from '../../warehouse/queries/coverage.ts';
import { type QuarantinedGroup, readQuarantine } from '../../warehouse/queries/quarantine.ts';
import {
  type RunRecord,
  readRuns,
  readScheduledRuns,
  type ScheduledRuns,
} from '../../warehouse/queries/run-history.ts';
import {
  type AccountStatus,
  accountStatuses,
  type UnsentStatus,
  unsentMail,
} from '../../warehouse/queries/status.ts';

/** When the page was requested, and what it shows of the schedule. */
export type PageTime = {
  readonly now: Temporal.Instant;
  readonly timeZone: string;
  readonly nextRun: Temporal.Instant | null;
};

/** All that the operator's page shows, read from the warehouse at once. */
export type Overview = PageTime & {
  readonly accounts: readonly AccountStatus[];
  /** First and last day of the calendar: thirteen weeks, of which the last ends with the latest yesterday. */
  readonly from: Day;
  readonly to: Day;
  readonly coverage: readonly CoveredDay[];
  readonly runs: readonly RunRecord[];
  readonly scheduled: ScheduledRuns;
  readonly unsent: readonly UnsentStatus[];
  readonly quarantine: readonly QuarantinedGroup[];
};

export const weeksShown = 13;
const runsShown = 10;
const groupsShown = 20;

/** The time as the app and the schedule have it. */
export function pageTimeOf(
  { clock, config }: Pick<AppContext, 'clock' | 'config'>,
  nextRun: PageTime['nextRun'],
): PageTime {
  return { now: clock(), timeZone: config.planning.timeZone, nextRun };
}

export async function readOverview(warehouse: Queries, time: PageTime): Promise<Overview> {
  const accounts = await accountStatuses(warehouse);
  const zones = [time.timeZone, ...accounts.map((account) => account.timeZone)];
  const to = zones
    .map((zone) => yesterday(time.now, zone))
    .sort()
    .at(-1)!;
  const from = addDays(to, 1 - Temporal.PlainDate.from(to).dayOfWeek - 7 * (weeksShown - 1));
  return {
    ...time,
    accounts,
    from,
    to,
    coverage: await readCoverage(warehouse, from),
    runs: await readRuns(warehouse, runsShown),
    scheduled: await readScheduledRuns(warehouse),
    unsent: await unsentMail(warehouse),
    quarantine: await readQuarantine(warehouse, groupsShown),
  };
}
