import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { RestatedDay } from '../../model/digest.ts';
import type { DigestKey } from '../../model/period.ts';
import type { Sums } from '../../model/records.ts';
import type { Queries } from '../db/database.ts';
import { type Decimal, exactSums } from '../db/exact.ts';
import { isTold } from '../outbox/told.ts';
import type { NewsPeriod } from './figures-attention.ts';

/**
 * Reads the days before `from` that were restated since the last digest of that name was built, or since their correction,
 * with their sums before and now. A day that an account didn't have by then is none: nobody was told 0.
 */
export async function readRestated(
  queries: Queries,
  { name, every }: Pick<DigestKey, 'name' | 'every'>,
  accountIds: readonly number[],
  from: Day,
  { since, until }: NewsPeriod,
): Promise<readonly RestatedDay[]> {
  if (since === null) return [];
  type Read = Omit<RestatedDay, 'from' | 'to'> & {
    readonly [side in 'from' | 'to']: Decimal<Sums>;
  };
  const { rows } = await sql<Read>`
    with news as (select ${since}::timestamptz as since, coalesce(${until}::timestamptz, 'infinity') as until),
    corrected as (
      select g.day - n as day, max(g.built_at) as at
      from etl.digests g, news p, generate_series(0, g.day - date_trunc(g.every, g.day::timestamp)::date) n
      where g.name = ${name} and g.every = ${every} and g.kind = 'corrected' and g.state = 'built'
        and g.built_at > p.since and g.built_at <= p.until and ${isTold('g')}
      group by g.day - n),
    restated as (
      select distinct on (p.account_id, p.day) p.*, coalesce(k.at, n.since) as told_at, n.until
      from etl.past_account_days p cross join news n left join corrected k on k.day = p.day
      where p.account_id = any(${accountIds}::integer[]) and p.day < ${from}::date
        and p.restated_at > coalesce(k.at, n.since) and p.restated_at <= n.until
      order by p.account_id, p.day, p.restated_at)
    select a.label, r.day, (
        select count(distinct c.callset_id) from warehouse.campaign_day_restatements c
        where c.account_id = r.account_id and c.day = r.day and c.restated_at > r.told_at and c.restated_at <= r.until) as campaigns,
      jsonb_build_object('attempts', r.attempts_before::text, 'busies', r.busies_before::text,
        'connects', r.connects_before::text, 'liveAnswers', r.live_answers_before::text) as "from",
      jsonb_build_object('attempts', w.attempts::text, 'busies', w.busies::text,
        'connects', w.connects::text, 'liveAnswers', w.live_answers::text) as "to"
    from restated r
    join etl.windows w on w.account_id = r.account_id and w.day = r.day and w.first_loaded_at <= r.told_at
    join warehouse.accounts a on a.account_id = r.account_id
    order by r.day, a.label
  `.execute(queries);
  return rows.map((row) => ({ ...row, from: exactSums(row.from), to: exactSums(row.to) }));
}
