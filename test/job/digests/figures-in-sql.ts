/*
 * The figures of a digest from rows alone, as an analyst would ask for them: no table of sums, no TypeScript.
 * $1 is the day, $2 the accounts' ids, $3 what the digest is of: 'day', 'week' or 'month'.
 */

/** Each account and day that is loaded: its sums, and what its connect rate is made of. */
const days = `days as (
  select w.account_id, w.day,
    case when count(c.callset_id) = 0 then 0 else sum(c.attempts) end as attempts,
    case when count(c.callset_id) = 0 then 0 else sum(c.busies) end as busies,
    case when count(c.callset_id) = 0 then 0 else sum(c.live_answers) end as live_answers,
    case when count(c.callset_id) = 0 then 0 else sum(c.connects) end as connects,
    case when count(c.callset_id) = 0 then 0 else sum(c.connects) filter (where c.attempts is not null) end as part,
    case when count(c.callset_id) = 0 then 0 else sum(c.attempts) filter (where c.connects is not null) end as base
  from etl.windows w
  left join etl.campaign_days c on c.account_id = w.account_id and c.day = w.day and c.withdrawn_at is null
  where w.state = 'loaded' and w.account_id = any($2::integer[])
  group by w.account_id, w.day)`;

/** The first and the last day of the digest's period. */
const first = `date_trunc($3::text, $1::date::timestamp)::date`;
const last = `(date_trunc($3::text, $1::date::timestamp) + ('1 ' || $3)::interval)::date - 1`;

/** The period itself, and those that it is compared with: four weekdays, four weeks, or a month. */
const spans = `spans (ago, since, upto, needed) as (
  select n, ${first} - 7 * n, ${last} - 7 * n, 2 from generate_series(0, 4) n where $3 <> 'month'
  union all
  select n, (${first} - n * interval '1 month')::date, (${first} + (1 - n) * interval '1 month')::date - 1, 1
  from generate_series(0, 1) n where $3 = 'month')`;

/** Each account and span of which all days are loaded; and the accounts that have enough of them. */
const sides = `sides as (
    select d.account_id, s.ago, s.needed, sum(d.attempts) as attempts, sum(d.busies) as busies,
      sum(d.live_answers) as live, sum(d.part) as part, sum(d.base) as base
    from spans s join days d on d.day between s.since and s.upto
    group by d.account_id, s.ago, s.needed, s.since, s.upto having count(*) = s.upto - s.since + 1),
  whole as (
    select account_id, needed from sides group by account_id, needed
    having bool_or(ago = 0) and count(*) filter (where ago > 0) >= needed),
  divisors as (
    select s.ago, case when $3 = 'month' then greatest(1, (
      select count(distinct d.day) from days d join whole using (account_id)
      where d.day between s.since and s.upto and d.attempts > 0)) else 1 end as days
    from spans s)`;

/** Per account: each count now, and its mean over the spans that report it. */
const both = (column: string, now: string, before: string) =>
  `case when count(b.${column}) >= w.needed then max(n.${column}) / ${now} end as ${column},
    case when count(b.${column}) >= w.needed then avg(b.${column}) / ${before} + 0 * max(n.${column}) end as ${column}_ref`;
const ago = (periods: number) => `(select days from divisors where ago = ${periods})`;
const compared = `compared as (
  select w.account_id, ${['attempts', 'busies', 'live'].map((column) => both(column, ago(0), ago(1))).join()},
    ${['part', 'base'].map((column) => both(column, '1', '1')).join()}
  from whole w join sides n on n.account_id = w.account_id and n.ago = 0
  join sides b on b.account_id = w.account_id and b.ago > 0
  group by w.account_id, w.needed)`;

export const tilesSql = `with ${days}, ${spans}, ${sides}, ${compared}
  select sum(attempts) as attempts, sum(attempts_ref) as attempts_ref, count(attempts_ref)::integer as attempts_of,
    sum(busies) as busies, sum(busies_ref) as busies_ref, sum(live) as live, sum(live_ref) as live_ref,
    sum(part) / nullif(sum(base), 0) as rate, sum(part_ref) / nullif(sum(base_ref), 0) as rate_ref,
    count(part_ref)::integer as rate_of
  from compared having count(*) > 0`;

const rateOf = (part: string) => `(sum(${part}) filter (where attempts is not null))::float8
  / nullif(sum(attempts) filter (where ${part} is not null), 0)`;

/** The period's own sums and rates, over whatever is loaded of it. */
export const totalsSql = `
  select count(distinct (account_id, callset_id))::integer as campaigns,
    sum(attempts) as attempts, sum(busies) as busies, sum(live_answers) as live, sum(connects) as connects,
    ${rateOf('connects')} as rate, ${rateOf('live_answers')} as live_rate, ${rateOf('busies')} as busy_rate
  from etl.campaign_days
  where day between ${first} and ${last} and account_id = any($2::integer[]) and withdrawn_at is null`;

/** The ten campaigns with the most attempts of the period. */
export const topCampaignsSql = `
  select account_id, callset_id, sum(attempts) as attempts, ${rateOf('connects')} as rate,
    ${rateOf('live_answers')} as live_rate
  from etl.campaign_days
  where day between ${first} and ${last} and account_id = any($2::integer[]) and withdrawn_at is null
  group by account_id, callset_id having sum(attempts) > 0
  order by sum(attempts) desc, account_id, callset_id limit 10`;

/** Each day as the chart has it. */
export const chartSql = `with ${days}
  select day::text, sum(attempts) as attempts, sum(connects) as connects,
    sum(part)::float8 / nullif(sum(base), 0) as rate
  from days where day <= $1::date group by day`;

export const toDateSql = `with ${days},
  starts as (
    select 'week' as period, date_trunc('week', $1::date)::date as since
    union all select 'month', date_trunc('month', $1::date)::date)
  select period, coalesce(sum(d.attempts), 0) as attempts, sum(d.part) filter (where d.attempts is not null)
      / nullif(sum(d.base) filter (where d.attempts is not null), 0) as rate,
    (select count(distinct e.day)::integer
      from (select since + n as day from generate_series(0, $1::date - since) n) e
      cross join unnest($2::integer[]) a (account_id)
      left join days k on k.account_id = a.account_id and k.day = e.day
      where k.attempts is null) as lacking
  from starts left join days d on d.day between since and $1::date
  where since < $1::date group by period, since order by period desc`;

/** Each campaign of an account beside its own mean: by subqueries, one number after the other. */
const campaignSum = (periods: string) => `(
  select case when bool_or(c.attempts is null) then null else sum(c.attempts) end / (
      select days from divisors v where v.ago = ${periods})
  from spans p join etl.campaign_days c on c.day between p.since and p.upto
  where p.ago = ${periods} and c.account_id = w.account_id and c.callset_id = i.callset_id and c.withdrawn_at is null
  having count(*) > 0)`;
const isUnreported = (periods: string) => `exists (
  select from spans p join etl.campaign_days c on c.day between p.since and p.upto
  where p.ago = ${periods} and c.account_id = w.account_id and c.callset_id = i.callset_id
    and c.withdrawn_at is null and c.attempts is null)`;
const campaigns = `campaigns as (
  select *, now - typical as moved from (
    select w.account_id, i.callset_id, coalesce(${campaignSum('0')}, 0) as now,
      (select avg(coalesce(${campaignSum('s.ago')}, 0)) from sides s
        where s.account_id = w.account_id and s.ago > 0 and not ${isUnreported('s.ago')}
        having count(*) >= w.needed) as typical
    from whole w cross join (select distinct callset_id from etl.campaign_days) i
    where not ${isUnreported('0')}) m
  where typical is not null)`;

const movers = `movers as (
  select * from campaigns where abs(moved) >= 10 and abs(moved) >= typical * 0.1
  order by abs(moved) desc, account_id, callset_id limit 5)`;

export const moversSql = `with ${days}, ${spans}, ${sides}, ${campaigns}, ${movers}
  select account_id, callset_id, now::float8 as now, typical::float8 as typical from movers
  order by abs(moved) desc, account_id, callset_id`;

export const extremeRatesSql = `with sums as (
    select account_id, callset_id, sum(attempts) as attempts, ${rateOf('connects')} as rate,
      ${rateOf('live_answers')} as live_rate,
      sum(connects) filter (where attempts is not null)::numeric
        / nullif(sum(attempts) filter (where connects is not null), 0) as exact,
      sum(attempts) filter (where connects is not null) as base
    from etl.campaign_days
    where day between ${first} and ${last} and account_id = any($2::integer[]) and withdrawn_at is null
    group by account_id, callset_id),
  larger as (
    select * from sums where base >= 20 and base * 100 >= (
      select sum(attempts) from etl.campaign_days a join etl.windows w using (account_id, day)
      where a.day between ${first} and ${last} and a.account_id = any($2::integer[]) and a.withdrawn_at is null))
  select account_id, callset_id, attempts, rate, live_rate from larger l
  where (select count(*) from larger o
      where (o.exact, -o.base, o.account_id, o.callset_id) < (l.exact, -l.base, l.account_id, l.callset_id)) < 3
    or (select count(*) from larger o
      where (-o.exact, -o.base, o.account_id, o.callset_id) < (-l.exact, -l.base, l.account_id, l.callset_id)) < 3
  order by exact desc, base desc, account_id, callset_id`;

/** Which of both moved how far in times of its bound; and who made more than half of it. */
export const insightSql = `with ${days}, ${spans}, ${sides}, ${compared}, ${campaigns}, ${movers},
  typical as (select * from compared),
  moved as (
    select sum(attempts) - sum(attempts_ref) as calls,
      case when abs(sum(attempts) - sum(attempts_ref)) >= 20
        then (sum(attempts) - sum(attempts_ref)) / nullif(sum(attempts_ref), 0) / 0.1 end as by_calls,
      sum(part) / nullif(sum(base), 0) - sum(part_ref) / nullif(sum(base_ref), 0) as points,
      sum(base) as base,
      case when least(sum(base), sum(base_ref)) >= 100
        then (sum(part) / nullif(sum(base), 0) - sum(part_ref) / nullif(sum(base_ref), 0)) / 0.02 end as by_rate
    from typical having (select count(*) from days where day between ${first} and ${last})
      = cardinality($2::integer[]) * (${last} - ${first} + 1)),
  said as (
    select *, case
      when abs(by_rate) >= 1 and abs(by_rate) >= coalesce(abs(by_calls), 0) then 'rate'
      when abs(by_calls) >= 1 then 'attempts' end as moved
    from moved),
  parts as (
    select 1 as rank, 'attempts' as moved, a.label as name, (attempts - attempts_ref) / nullif(s.calls, 0) as share
    from typical join warehouse.accounts a using (account_id), said s where cardinality($2::integer[]) > 1
    union all
    select 1, 'rate', a.label,
      (t.part / nullif(t.base, 0) - t.part_ref / nullif(t.base_ref, 0)) * t.base / nullif(s.points * s.base, 0)
    from typical t join warehouse.accounts a using (account_id), said s where cardinality($2::integer[]) > 1
    union all
    select 2, 'attempts', 'campaign ' || callset_id, m.moved / nullif(s.calls, 0) from movers m, said s)
  select moved, coalesce(case moved when 'rate' then by_rate else by_calls end > 0, false) as up,
    least(abs(abs(by_rate) - 1), abs(abs(by_calls) - 1), abs(abs(by_rate) - abs(by_calls)))::float8 as margin,
    (select name from parts p where p.moved = s.moved and share > 0.5 order by rank, share desc limit 1) as name
  from said s`;
