import sql from 'sql-template-tag';
import type { Day } from '../model/day.ts';
import type { Queries } from './warehouse.ts';

/** A window that no worker could finish, and that nobody has pulled since. */
export type DeadWindow = {
  readonly account: string;
  readonly day: Day;
  readonly run: number;
  readonly gaveUpAt: string;
  /** What the last worker said, or what was found of it. */
  readonly said: string | null;
};

/** The dead letters of the queue, as `src/queue` leaves them; none where no queue was set up. */
export async function deadWindows(warehouse: Queries): Promise<DeadWindow[]> {
  const { rowCount } = await warehouse.query(sql`select where to_regclass('etl_queue.job') is not null`);
  if (rowCount === 0) return [];
  const { rows } = await warehouse.query<DeadWindow>(sql`
    select a.name as account, pull.day, (j.data ->> 'run')::bigint as run, j.created_on as "gaveUpAt",
      coalesce(j.source_output ->> 'message', j.source_output -> 'value' ->> 'message') as said
    from etl_queue.job j
    cross join lateral (
      select (j.data -> 'pull' -> 'account' ->> 'id')::bigint as account_id, (j.data -> 'pull' ->> 'day')::date as day) pull
    join warehouse.accounts a on a.account_id = pull.account_id and a.until is null
    left join etl.windows w on w.account_id = pull.account_id and w.day = pull.day
    where j.name = 'windows-dead' and (w.fetched_at is null or w.fetched_at < j.created_on)
    order by pull.day desc, a.name
    limit 100
  `);
  return rows;
}
