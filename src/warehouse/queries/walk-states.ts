import type { WalkState } from '../../model/walk.ts';
import type { Queries } from '../db/database.ts';

/** Reads the state of the walks of each account that hasn't retired, by its name. */
export async function readWalkStates(queries: Queries): Promise<ReadonlyMap<string, WalkState>> {
  const rows = await queries
    .selectFrom('etl.walk_states')
    .select([
      'account',
      'verdict',
      'run_date as runDate',
      'reason',
      'error_code as errorCode',
      'error_status as errorStatus',
      'signs',
      'complete_at as completeAt',
      'complete_run_date as completeRunDate',
      'incomplete_since as incompleteSince',
      'incomplete_run_dates as incompleteRunDates',
      'implausible_missing as implausibleMissing',
      'implausible_since as implausibleSince',
    ])
    .execute();
  return new Map(rows.map(({ account, ...state }) => [account, state]));
}
