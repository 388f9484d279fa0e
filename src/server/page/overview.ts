import type { State } from '../../job/alerts/read-alerts.ts';
import type { Queries } from '../../warehouse/db/database.ts';
import { readNewestDigests } from '../../warehouse/queries/digest-history.ts';
import { readRuns } from '../../warehouse/queries/run-history.ts';
import type { PageTime } from './elements.ts';

export type Overview = Readonly<Awaited<ReturnType<typeof readOverview>>>;

const runsShown = 5;

/** Reads everything that the operator's page shows. */
export async function readOverview(warehouse: Queries, time: PageTime, state: State) {
  return {
    ...time,
    ...state,
    runs: await readRuns(warehouse, runsShown),
    digests: await readNewestDigests(warehouse),
  };
}
