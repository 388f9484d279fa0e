import { sql } from 'kysely';
import type { DeadWindow } from '../../model/window.ts';
import type { Queries } from '../db/database.ts';

/**
 * Returns the dead letters of the queue, as `src/queue` leaves them; none if no queue was set up. It reads
 * pg-boss's own table, against the rule that each library has one home: `status` must not load pg-boss, and
 * the ledger doesn't know of a window whose run was killed before its job died. pg-boss's schema has a fixed
 * version (`migrate --queue`), and a test in test/crash checks this statement against it.
 */
export async function deadWindows(queries: Queries): Promise<DeadWindow[]> {
  if (!(await hasQueue(queries))) return [];
  const { rows } = await sql<DeadWindow>`
    select a.name as account, task.day, coalesce(w.state = 'loaded', false) as loaded,
      coalesce(j.source_output ->> 'message', j.source_output -> 'value' ->> 'message') as error
    from etl_queue.job j
    cross join lateral (
      select (j.data -> 'task' -> 'account' ->> 'id')::bigint as account_id, (j.data -> 'task' ->> 'day')::date as day) task
    join warehouse.accounts a on a.account_id = task.account_id and a.last_expected_day is null
    left join etl.windows w on w.account_id = task.account_id and w.day = task.day
    where j.name = 'windows-dead' and (w.fetched_at is null or w.fetched_at < j.created_on)
    order by task.day desc, a.name
    limit 100
  `.execute(queries);
  return rows;
}

/** Returns whether the queue of distributed runs was ever set up. */
export async function hasQueue(queries: Queries): Promise<boolean> {
  const found = sql<{ found: boolean }>`select to_regclass('etl_queue.job') is not null as found`;
  const { rows } = await found.execute(queries);
  return rows[0]!.found;
}
