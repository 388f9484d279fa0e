import type { State } from '../../job/alerts/read-alerts.ts';
import type { Queries } from '../../warehouse/db/database.ts';
import { readNewestDigests } from '../../warehouse/queries/digest-history.ts';
import { readRuns } from '../../warehouse/queries/run-history.ts';
import type { PageTime } from './elements.ts';

/** All that the operator's page shows. */
export type Overview = Besides & Readonly<State>;

/** The part of the page that is shown if the state can't be read in time. */
export type Besides = Readonly<PageTime & Awaited<ReturnType<typeof readBesides>>>;

const runsShown = 5;

/** Reads what the page shows besides the state: it is little. */
export async function readBesides(warehouse: Queries) {
  return {
    runs: await readRuns(warehouse, runsShown),
    digests: await readNewestDigests(warehouse),
  };
}
