import type { AppContext } from '../../job/run/app-context.ts';
import type { Day } from '../../model/day.ts';
import { addDays, yesterday } from '../../planning/business-day.ts';
import type { Queries } from '../../warehouse/db/database.ts';
import { type CoveredDay, readCoverage } from '../../warehouse/queries/coverage.ts';
import { type QuarantinedGroup, readQuarantine } from '../../warehouse/queries/quarantine.ts';
import { type Nights, type RunRecord, readNights, readRuns } from '../../warehouse/queries/run-history.ts';
import {
  type AccountStatus,
  accountStatuses,
  type UnsentStatus,
  unsentMail,
} from '../../warehouse/queries/status.ts';

/** When the page was asked for, and what it is to say of the schedule. */
export type Moment = {
  readonly now: Temporal.Instant;
  readonly timeZone: string;
  readonly nextRun: Temporal.Instant | null;
};

/** All that the operator's page says, read from the warehouse at once. */
export type Overview = Moment & {
  readonly accounts: readonly AccountStatus[];
  /** First and last day of the calendar: thirteen weeks, of which the last ends with the latest yesterday. */
  readonly from: Day;
  readonly to: Day;
  readonly coverage: readonly CoveredDay[];
  readonly runs: readonly RunRecord[];
  readonly nights: Nights;
  readonly unsent: readonly UnsentStatus[];
  readonly quarantine: readonly QuarantinedGroup[];
};

export const weeksShown = 13;
const runsShown = 10;
const groupsShown = 20;

/** The moment as the parts and the schedule see it. */
export function momentOf(
  { clock, config }: Pick<AppContext, 'clock' | 'config'>,
  nextRun: Moment['nextRun'],
): Moment {
  return { now: clock(), timeZone: config.planning.timeZone, nextRun };
}

export async function readOverview(warehouse: Queries, moment: Moment): Promise<Overview> {
  const accounts = await accountStatuses(warehouse);
  const zones = [moment.timeZone, ...accounts.map((account) => account.timeZone)];
  const to = zones
    .map((zone) => yesterday(moment.now, zone))
    .sort()
    .at(-1)!;
  const from = addDays(to, 1 - Temporal.PlainDate.from(to).dayOfWeek - 7 * (weeksShown - 1));
  return {
    ...moment,
    accounts,
    from,
    to,
    coverage: await readCoverage(warehouse, from),
    runs: await readRuns(warehouse, runsShown),
    nights: await readNights(warehouse),
    unsent: await unsentMail(warehouse),
    quarantine: await readQuarantine(warehouse, groupsShown),
  };
}
