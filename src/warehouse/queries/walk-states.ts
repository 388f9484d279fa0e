import { sql } from 'kysely';
import type { WalkState } from '../../model/walk.ts';
import type { Queries } from '../db/database.ts';

/** What is known of the walks over the client list of each account that hasn't retired, by its name. */
export async function readWalkStates(queries: Queries): Promise<ReadonlyMap<string, WalkState>> {
  const { rows } = await sql<WalkState & { readonly account: string }>`
    select a.name as account, l.verdict, l.run_date as "runDate", l.reason, l.error_code as "errorCode",
      c.started_at as "completeAt", c.run_date as "completeRunDate", i.since as "incompleteSince",
      coalesce(c.implausible_missing, 0) as "implausibleMissing", u.since as "implausibleSince"
    from warehouse.accounts a
    left join lateral (
      select w.verdict, w.run_date, w.reason, w.error_code from etl.walks w
      where w.account_id = a.account_id and w.verdict is not null
      order by w.walk_id desc limit 1) l on true
    left join lateral (
      select w.walk_id, w.started_at, w.run_date, w.implausible_missing from etl.walks w
      where w.account_id = a.account_id and w.verdict = 'complete'
      order by w.walk_id desc limit 1) c on true
    left join lateral (
      select min(w.run_date) as since from etl.walks w
      where w.account_id = a.account_id and w.verdict in ('changed', 'incomplete')
        and w.walk_id > coalesce(c.walk_id, 0)) i on true
    left join lateral (
      select min(w.run_date) as since from etl.walks w
      where c.implausible_missing > 0 and w.account_id = a.account_id and w.implausible_missing > 0
        and w.walk_id > coalesce((
          select max(b.walk_id) from etl.walks b
          where b.account_id = a.account_id and b.verdict = 'complete' and b.implausible_missing = 0), 0)) u on true
    where a.until is null
  `.execute(queries);
  return new Map(rows.map(({ account, ...state }) => [account, state]));
}
