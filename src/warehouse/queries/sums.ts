import { type RawBuilder, sql } from 'kysely';
import type { SpanSums, Typical } from '../../model/digest.ts';
import type { Period } from '../../model/period.ts';
import type { Queries } from '../db/database.ts';
import { exact, type Read } from '../db/exact.ts';
import { knownSum, recordset } from '../db/expressions.ts';

/** The first and the last day of a range. */
export type Days = Pick<Period, 'from' | 'to'>;

/**
 * Reads the sums of each span over its accounts: the period of a digest, the days of its chart, the time to date. A rate is
 * the parts of all rows, summed. Days before an account's first aren't expected, but count if they are loaded. It doesn't use
 * `warehouse.coverage`, which ends with yesterday: a digest looks the same whenever it is built.
 */
export async function readSums(
  queries: Queries,
  spans: readonly (Days & { readonly accounts: readonly string[] })[],
): Promise<SpanSums[]> {
  const days = (condition: RawBuilder<unknown>) =>
    sql`coalesce(array_agg(distinct d.day::text order by d.day::text) filter (where ${condition}), '{}')`;
  const isComplete = sql`coalesce(w.day_ended, false)`;
  const { rows } = await sql<Read<SpanSums>>`
    select s.*
    from ${recordset(spans)} q (place integer, accounts jsonb, "from" date, "to" date)
    cross join lateral (
      select ${knownSum('attempts')} as attempts, ${knownSum('busies')} as busies, ${knownSum('connects')} as connects,
        ${knownSum('live_answers')} as "liveAnswers",
        jsonb_build_object(
          'connects', ${parts('connect_rate_connects', 'connect_rate_attempts')},
          'liveAnswers', ${parts('live_answer_rate_live_answers', 'live_answer_rate_attempts')},
          'busies', ${parts('busy_rate_busies', 'busy_rate_attempts')}) as rates,
        case
          when every(${isComplete} or coalesce(a.first_expected_day <= q."to" and d.day < a.first_expected_day, false)) then 'loaded'
          when count(w.day) > 0 then 'incomplete'
          else 'missing'
        end as state,
        ${days(sql`w.day is not null`)} as "loadedDays",
        ${days(sql`w.attempts > 0`)} as "callingDays",
        ${days(sql`d.day >= a.first_expected_day and not ${isComplete}`)} as "lackingDays",
        coalesce(jsonb_agg(jsonb_build_object('day', d.day, 'anomalies', w.anomalies) order by d.day)
          filter (where w.state = 'provisional' and w.day_ended), '[]') as "provisionalDays"
      from jsonb_array_elements_text(q.accounts) u (name)
      left join warehouse.accounts a on a.name = u.name
      cross join lateral (select q."from" + n as day from generate_series(0, q."to" - q."from") n) d
      -- Day by day, by the key: joined at once, Postgres reads these days of all accounts, or all days of these.
      left join lateral (
        select * from etl.windows e
        where e.account_id = a.account_id and e.day = d.day and e.state <> 'failed'
        offset 0) w on true) s
    order by q.place
  `.execute(queries);
  return rows.map(exact);
}

const parts = (part: string, attempts: string) => sql`jsonb_build_object(
  'part', sum(w.${sql.ref(part)})::text, 'attempts', sum(w.${sql.ref(attempts)})::text)`;

/** Reads what is typical of a period of these accounts; those of which it isn't known are left out. */
export async function readTypical(
  queries: Queries,
  accounts: readonly string[],
  { every, to }: Period,
): Promise<readonly Typical[]> {
  const { rows } = await sql<Typical>`
    select a.name as account, t.attempts::float8 as attempts, t.busies::float8 as busies,
      t.connects::float8 as connects, t.live_answers::float8 as "liveAnswers",
      case when t.connect_rate_connects is not null then jsonb_build_object(
        'part', t.connect_rate_connects, 'attempts', t.connect_rate_attempts) end as "connectRate",
      case when t.every = 'month' then jsonb_build_object(
        'now', t.calling_days, 'typical', t.typical_calling_days) end as "callingDays"
    from unnest(${accounts}::text[]) with ordinality n (name, place)
    join warehouse.accounts a using (name)
    join etl.typical t on t.account_id = a.account_id and t.every = ${every} and t.last_day = ${to}
    order by n.place
  `.execute(queries);
  return rows;
}
