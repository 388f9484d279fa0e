import { type RawBuilder, sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { RestatedDay } from '../../model/digest.ts';
import type { DigestKey } from '../../model/period.ts';
import type { Queries } from '../db/database.ts';
import { isTold } from '../outbox/told.ts';
import type { NewsPeriod } from './figures-attention.ts';

/**
 * Reads the days before `from` that were restated since the last digest of that name was built, with their sums
 * before and now: what a provisional day said is none. A day first loaded since then counts only if that digest reported it as complete: complete,
 * and empty.
 */
export async function readRestated(
  queries: Queries,
  { name, every }: Pick<DigestKey, 'name' | 'every'>,
  accountIds: readonly number[],
  from: Day,
  { since, until }: NewsPeriod,
): Promise<readonly RestatedDay[]> {
  if (since === null) return [];
  const { rows } = await sql<RestatedDay>`
    with period as (select ${since}::timestamptz as since, coalesce(${until}::timestamptz, 'infinity') as until),
    mailed as (
      select g.day - n as day, g.kind, g.built_at, g.incomplete or g.provisional as partial
      from etl.digests g, period p, generate_series(0, g.day - date_trunc(g.every, g.day::timestamp)::date) n
      where g.name = ${name} and g.every = ${every} and g.state = 'built' and g.built_at <= p.until
        and ${isTold('g')}),
    -- A day that was corrected since then was named by its correction.
    corrected as (
      select day, max(built_at) as at from mailed m, period p
      where m.kind = 'corrected' and m.built_at > p.since
      group by day),
    reported as (
      select day from mailed m, period p
      where not m.partial and (m.built_at <= p.since or m.kind = 'corrected')
      group by day),
    -- The first of the states that each row has had since.
    before as (
      select distinct on (account_id, day, callset_id) e.*,
        w.first_loaded_at <= greatest(p.since, k.at) as known
      from warehouse.campaign_day_restatements e join etl.windows w using (account_id, day)
        cross join period p left join corrected k using (day)
      where account_id = any(${accountIds}::integer[]) and day < ${from}
        and restated_at > p.since and restated_at <= p.until and (k.at is null or restated_at > k.at)
      order by account_id, day, callset_id, restated_at),
    -- Found without the rows: a backfill may have loaded years of them.
    candidates as materialized (
      select c.*, t.day is not null as reported, greatest(p.since, k.at) as since, p.until,
        w.first_loaded_at <= greatest(p.since, k.at) as known
      from (
        select account_id, day from before
        union
        select account_id, w.day from etl.windows w, period p
        where account_id = any(${accountIds}::integer[]) and w.day < ${from}
          and w.state = 'loaded' and w.loaded_at > p.since and w.day in (select day from reported)) c
      join etl.windows w using (account_id, day)
      cross join period p left join reported t using (day) left join corrected k using (day)),
    -- One below the other: without statistics, a join of both compares each row with each.
    states as (
      select account_id, day, callset_id, attempts, busies, connects, live_answers, false as current,
        reason not in ('returned', 'appeared') as listed, known, false as added, false as reported
      from before
      union all
      select account_id, day, callset_id, attempts, busies, connects, live_answers, true,
        withdrawn_at is null, known, withdrawn_at is null and loaded_at > since and loaded_at <= until, reported
      from candidates join etl.campaign_days using (account_id, day)),
    marked as (
      select *, count(*) over (partition by account_id, day, callset_id) > 1 as changed from states),
    days as (
      select account_id, day, count(*) filter (where current and (changed or added)) as campaigns,
        ${sumsWhere(sql`current <> changed and known and listed`)} as "from", ${sumsWhere(sql`current and listed`)} as "to"
      from marked
      group by account_id, day
      having bool_or(changed or added) and (bool_or(known) or bool_or(reported)))
    select a.label, d.day, d.campaigns, d."from", d."to"
    from days d join warehouse.accounts a using (account_id)
    order by d.day, a.label
  `.execute(queries);
  return rows;
}

/** A JSON object of all four sums over the states with a condition. */
function sumsWhere(condition: RawBuilder<unknown>) {
  const sum = (column: string) => sumOf(column, condition);
  return sql`jsonb_build_object('attempts', ${sum('attempts')}, 'busies', ${sum('busies')},
    'connects', ${sum('connects')}, 'liveAnswers', ${sum('live_answers')})`;
}

/** 0 without a state; null if none of them reports the count. */
function sumOf(column: string, condition: RawBuilder<unknown>) {
  return sql`case count(*) filter (where ${condition})
    when 0 then 0 else sum(${sql.ref(column)}) filter (where ${condition}) end`;
}
