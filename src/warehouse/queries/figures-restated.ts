import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { RestatedDay } from '../../model/digest.ts';
import type { DigestKey } from '../../model/period.ts';
import type { Queries } from '../db/database.ts';
import type { NewsPeriod } from './figures-attention.ts';

/**
 * Reads the days before `from` whose sums changed since the last digest of that name was built, with the sums
 * then and now. A day first loaded since then counts only if that digest reported it as complete: complete,
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
      select g.day - n as day, g.kind, g.built_at, g.incomplete or g.figures_may_be_low as partial
      from etl.digests g, period p, generate_series(0, g.day - date_trunc(g.every, g.day::timestamp)::date) n
      where g.name = ${name} and g.every = ${every} and g.state = 'built' and g.built_at <= p.until),
    -- A day that was corrected since then was named by its correction.
    corrected as (
      select day, max(built_at) as at from mailed m, period p
      where m.kind = 'corrected' and m.built_at > p.since
      group by day),
    -- The first of the states that each row has had since. Materialized: looked up row by row it takes minutes.
    before as materialized (
      select distinct on (account_id, day, callset_id) e.*
      from warehouse.campaign_day_restatements e cross join period p left join corrected k using (day)
      where account_id = any(${accountIds}::integer[]) and day < ${from}
        and restated_at > p.since and restated_at <= p.until and (k.at is null or restated_at > k.at)
      order by account_id, day, callset_id, restated_at),
    reported as (
      select day from mailed m, period p
      where not m.partial and (m.built_at <= p.since or m.kind = 'corrected')
      group by day),
    -- Found without the rows: a backfill may have loaded years of them.
    candidates as materialized (
      select account_id, day from before
      union
      select account_id, w.day from etl.windows w, period p
      where account_id = any(${accountIds}::integer[]) and w.day < ${from}
        and w.state = 'loaded' and w.loaded_at > p.since and w.day in (select day from reported))
    select a.label, d.day, count(*) filter (where f.differs) as campaigns,
      ${counts(sumThen)} as "from", ${counts(sumNow)} as "to"
    from candidates c
    join etl.campaign_days d using (account_id, day)
    join warehouse.accounts a using (account_id)
    cross join period p
    left join before r using (account_id, day, callset_id)
    left join reported t using (day)
    left join corrected k using (day)
    cross join lateral (select greatest(p.since, k.at) as since) s
    cross join lateral (
      select coalesce(r.loaded_at, d.loaded_at) <= s.since as known,
        case when r.restated_at is null then d.withdrawn_at is null else r.reason not in ('returned', 'appeared') end as listed,
        r.restated_at is not null
          or (d.loaded_at > s.since and d.loaded_at <= p.until and d.withdrawn_at is null) as differs) f
    group by a.account_id, d.day
    having bool_or(f.differs) and (bool_or(f.known) or bool_or(t.day is not null))
    order by d.day, a.label
  `.execute(queries);
  return rows;
}

const columns = {
  attempts: 'attempts',
  busies: 'busies',
  connects: 'connects',
  liveAnswers: 'live_answers',
};

/** A JSON object of all four sums. */
function counts(sum: (column: string) => RawBuilder<number | null>) {
  const entries = Object.entries(columns).flatMap(([name, column]) => [sql.lit(name), sum(column)]);
  return sql`jsonb_build_object(${sql.join(entries)})`;
}

/** The sum of a count as it was reported then. */
function sumThen(column: string) {
  const reported = sql`case when r.restated_at is null then ${sql.ref(`d.${column}`)} else ${sql.ref(`r.${column}`)} end`;
  return sumOf(reported, sql`f.known and f.listed`);
}

/** The sum of a count as it is now. */
function sumNow(column: string) {
  return sumOf(sql.ref(`d.${column}`), sql`d.withdrawn_at is null`);
}

/** 0 without a row; null if none of the rows reports the count. */
function sumOf(count: Expression<unknown>, condition: RawBuilder<unknown>) {
  return sql<number | null>`case count(*) filter (where ${condition})
    when 0 then 0 else sum(${count}) filter (where ${condition}) end`;
}
