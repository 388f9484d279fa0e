import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { MailedPeriod } from '../../model/digest.ts';
import type { Queries } from '../db/database.ts';
import { type KeptTotals, reportedTotals } from './reported.ts';
import { isTold } from './told.ts';

/**
 * Reads the periods that are mailed or skipped: those that end on `since` or later, each digest's first one, and all that
 * may yet be corrected, however long ago.
 */
export async function readPeriods(queries: Queries, since: Day): Promise<MailedPeriod[]> {
  type Read = Omit<MailedPeriod, 'correctable'> & {
    readonly reported: readonly KeptTotals[] | null;
    readonly isConfirmed: boolean;
    readonly isWaiting: boolean;
  };
  const { rows } = await sql<Read>`
    with periods as (
      select g.*, ${isTold('g')} as told, c.digest_id is not null as corrected,
        g.digest_id = min(g.digest_id) over (partition by g.name, g.every) as starts,
        g.state = 'built' and (g.incomplete or g.provisional) and g.reported is not null
          and not coalesce(c.state = 'skipped' or ${isTold('c')}, false)
          and exists (
            select from etl.deliveries d
            where d.digest_id = coalesce(g.sent_with, g.digest_id) and d.skipped_at is null) as correctable
      from etl.digests g
      left join etl.digests c on c.name = g.name and c.every = g.every and c.day = g.day and c.kind = 'corrected'
      where g.kind = 'first')
    select p.name, p.every, p.day, p.state, p.told as "isTold", p.starts as "isStart",
      array(
        select recipient from etl.deliveries d
        where d.digest_id = coalesce(p.sent_with, p.digest_id) and d.state in ('sent', 'written')
        order by delivery_id) as recipients,
      case when p.correctable then p.reported end as reported,
      p.corrected as "isWaiting",
      p.correctable and not exists (
        select from jsonb_array_elements(p.reported) r
        join warehouse.accounts a on a.name = r.value ->> 'account'
        cross join lateral (
          select p.day - n as day
          from generate_series(0, p.day - date_trunc(p.every, p.day::timestamp)::date) n) e
        where (a.first_expected_day is null or e.day >= a.first_expected_day) and not exists (
          select from etl.windows w
          where w.account_id = a.account_id and w.day = e.day and w.state = 'loaded')) as "isConfirmed"
    from periods p
    where p.day >= ${since}::date or p.starts or p.correctable
    order by p.day, p.name
  `.execute(queries);
  return rows.map(({ reported, isConfirmed, isWaiting, ...period }) => ({
    ...period,
    correctable: reported === null ? null : { reported: reportedTotals(reported), isConfirmed, isWaiting },
  }));
}
