import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { RestatedDay } from '../../model/digest.ts';
import type { Queries } from '../db/database.ts';
import type { NewsPeriod } from './figures-attention.ts';

type Column = 'attempts' | 'busies' | 'connects' | 'live_answers';
type Row = Pick<RestatedDay, 'label' | 'day' | 'campaigns'> & {
  readonly [name in `${'was' | 'is'}_${Column}`]: number;
};

/**
 * Days before `day` that read otherwise than when the last digest of that name was built, with their sums then and
 * now. A day that was loaded since for the first time isn't one of them, unless that digest's readers were told that
 * it was complete: complete, and empty.
 */
export async function readRestated(
  queries: Queries,
  digest: string,
  accountIds: readonly number[],
  day: Day,
  { since, until }: NewsPeriod,
): Promise<readonly RestatedDay[]> {
  if (since === null) return [];
  const { rows } = await sql<Row>`
    with period as (select ${since}::timestamptz as since, coalesce(${until}::timestamptz, 'infinity') as until),
    -- The first of the states that each row has had since. Materialized: looked up row by row it takes minutes.
    before as materialized (
      select distinct on (account_id, day, callset_id) e.* from warehouse.campaign_day_restatements e, period p
      where account_id = any(${accountIds}::integer[]) and day < ${day}
        and restated_at > p.since and restated_at <= p.until
      order by account_id, day, callset_id, restated_at),
    reported as (
      select g.day from etl.digests g, period p
      where g.name = ${digest} and g.state = 'built' and not g.incomplete and g.built_at <= p.since),
    -- Found without the rows: a backfill may have loaded years of them.
    candidates as materialized (
      select account_id, day from before
      union
      select account_id, w.day from etl.windows w join reported using (day), period p
      where account_id = any(${accountIds}::integer[]) and w.day < ${day}
        and w.state = 'loaded' and w.loaded_at > p.since)
    select a.label, d.day, count(*) filter (where f.differs) as campaigns,
      ${sum('attempts')}, ${sum('busies')}, ${sum('connects')}, ${sum('live_answers')}
    from candidates c
    join warehouse.campaign_days d using (account_id, day)
    join warehouse.accounts a using (account_id)
    cross join period p
    left join before r using (account_id, day, callset_id)
    cross join lateral (
      select coalesce(r.loaded_at, d.loaded_at) <= p.since as known,
        case when r.restated_at is null then d.withdrawn_at is null else r.reason <> 'returned' end as stood,
        r.restated_at is not null
          or (d.loaded_at > p.since and d.loaded_at <= p.until and d.withdrawn_at is null) as differs) f
    group by a.account_id, d.day
    having bool_or(f.differs) and (bool_or(f.known) or d.day in (select t.day from reported t))
    order by d.day, a.label
  `.execute(queries);
  return rows.map((row) => ({
    label: row.label,
    day: row.day,
    campaigns: row.campaigns,
    from: counts(row, 'was'),
    to: counts(row, 'is'),
  }));
}

/** The sum of a count as it was reported then, and as it is now. */
function sum(column: Column) {
  const before = sql.ref(`r.${column}`);
  const now = sql.ref(`d.${column}`);
  return sql`
    coalesce(sum(case when r.restated_at is null then ${now} else ${before} end)
      filter (where f.known and f.stood), 0)::bigint as ${sql.id(`was_${column}`)},
    coalesce(sum(${now}) filter (where d.withdrawn_at is null), 0)::bigint as ${sql.id(`is_${column}`)}`;
}

function counts(row: Row, when: 'was' | 'is') {
  return {
    attempts: row[`${when}_attempts`],
    busies: row[`${when}_busies`],
    connects: row[`${when}_connects`],
    liveAnswers: row[`${when}_live_answers`],
  };
}
