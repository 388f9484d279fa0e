import sql from 'sql-template-tag';
import type { Day } from '../model/day.ts';
import type { Queries } from './warehouse.ts';

/** Records in quarantine for the same reason. */
export type QuarantinedGroup = {
  readonly account: string;
  readonly operation: string;
  readonly day: Day | null;
  readonly reason: string;
  readonly records: number;
  readonly latestAt: string;
  /** The beginning of one of them. */
  readonly example: string;
};

/** What came into quarantine in the last seven days, newest first. */
export async function readQuarantine(warehouse: Queries, groups: number): Promise<QuarantinedGroup[]> {
  const { rows } = await warehouse.query<QuarantinedGroup>(sql`
    select a.name as account, r.operation, r.day, r.reason, count(*) as records,
      max(r.rejected_at) as "latestAt", left(min(r.payload), 300) as example
    from etl.rejects r join warehouse.accounts a using (account_id)
    where r.rejected_at > now() - interval '7 days'
    group by a.name, r.operation, r.day, r.reason
    order by max(r.rejected_at) desc, a.name
    limit ${groups}
  `);
  return rows;
}
