/*
 * The figures of a digest from rows alone, as an analyst would ask for them: no table of sums, no TypeScript.
 * $1 is the day, $2 the accounts' ids; $3, where there is one, what the digest is of: 'day', 'week' or 'month'.
 */

/** Each account and day that is loaded: its sums, and what its connect rate is made of. */
const days = `days as (
  select w.account_id, w.day,
    case when count(c.callset_id) = 0 then 0 else sum(c.attempts) end as attempts,
    case when count(c.callset_id) = 0 then 0 else sum(c.busies) end as busies,
    case when count(c.callset_id) = 0 then 0 else sum(c.live_answers) end as live_answers,
    case when count(c.callset_id) = 0 then 0 else sum(c.connects) end as connects,
    sum(c.connects) filter (where c.attempts is not null) as part,
    sum(c.attempts) filter (where c.connects is not null) as base
  from etl.windows w
  left join warehouse.campaign_days c on c.account_id = w.account_id and c.day = w.day and c.withdrawn_at is null
  where w.state = 'loaded' and w.account_id = any($2::integer[])
  group by w.account_id, w.day)`;

/** What each account's day is compared with: the day before, or the same weekday of four weeks. */
const kinds = `kinds (kind, ago, needed) as (
  values ('before', 1, 1), ('typical', 7, 2), ('typical', 14, 2), ('typical', 21, 2), ('typical', 28, 2))`;

/** Per kind and account: each count now, and its mean over the days that report it. */
const compared = `compared as (
  select k.kind, d.account_id,
    case when count(b.attempts) >= k.needed then d.attempts end as attempts,
    case when count(b.attempts) >= k.needed then avg(b.attempts) + 0 * d.attempts end as attempts_ref,
    case when count(b.busies) >= k.needed then d.busies end as busies,
    case when count(b.busies) >= k.needed then avg(b.busies) + 0 * d.busies end as busies_ref,
    case when count(b.live_answers) >= k.needed then d.live_answers end as live,
    case when count(b.live_answers) >= k.needed then avg(b.live_answers) + 0 * d.live_answers end as live_ref,
    case when count(b.part) >= k.needed then d.part end as part,
    case when count(b.part) >= k.needed then d.base end as base,
    case when count(b.part) >= k.needed then avg(b.part) + 0 * d.part end as part_ref,
    case when count(b.part) >= k.needed then avg(b.base) + 0 * d.base end as base_ref
  from kinds k
  join days d on d.day = $1::date
  join days b on b.account_id = d.account_id and b.day = d.day - k.ago
  group by k.kind, k.needed, d.account_id, d.attempts, d.busies, d.live_answers, d.part, d.base
  having count(*) >= k.needed)`;

export const tilesSql = `with ${days}, ${kinds}, ${compared}
  select kind, count(*)::integer as accounts,
    sum(attempts) as attempts, sum(attempts_ref) as attempts_ref,
    sum(busies) as busies, sum(busies_ref) as busies_ref,
    sum(live) as live, sum(live_ref) as live_ref,
    sum(part) / nullif(sum(base), 0) as rate, sum(part_ref) / nullif(sum(base_ref), 0) as rate_ref
  from compared group by kind order by kind`;

/** The first and the last day of the digest's period. */
const first = `date_trunc($3::text, $1::date::timestamp)::date`;
const last = `(date_trunc($3::text, $1::date::timestamp) + ('1 ' || $3)::interval)::date - 1`;

const rateOf = (part: string) => `(sum(${part}) filter (where attempts is not null))::float8
  / nullif(sum(attempts) filter (where ${part} is not null), 0)`;

/** The period's own sums and rates, over whatever is loaded of it. */
export const totalsSql = `
  select count(distinct (account_id, callset_id))::integer as campaigns,
    sum(attempts) as attempts, sum(busies) as busies, sum(live_answers) as live, sum(connects) as connects,
    ${rateOf('connects')} as rate, ${rateOf('live_answers')} as live_rate, ${rateOf('busies')} as busy_rate
  from warehouse.campaign_days
  where day between ${first} and ${last} and account_id = any($2::integer[]) and withdrawn_at is null`;

/** A week or month beside the one before, over the accounts that have every day of both. */
export const periodTilesSql = `with ${days},
  spans as (
    select ${first} as first, ${last} as last, (${first} - ('1 ' || $3)::interval)::date as before_first,
      ${first} - 1 as before_last),
  sides as (
    select a.account_id, side, count(d.day) = max(upto - since) + 1 as whole,
      sum(d.attempts) as attempts, sum(d.busies) as busies, sum(d.live_answers) as live,
      sum(d.part) as part, sum(d.base) as base
    from spans cross join unnest($2::integer[]) a (account_id)
    cross join lateral (values ('now', first, last), ('before', before_first, before_last)) s (side, since, upto)
    left join days d on d.account_id = a.account_id and d.day between since and upto
    group by a.account_id, side),
  pairs as (
    select n.*, b.attempts as attempts_ref, b.busies as busies_ref, b.live as live_ref, b.part as part_ref,
      b.base as base_ref, n.part is not null and b.part is not null as rated
    from sides n join sides b using (account_id)
    where n.side = 'now' and b.side = 'before' and n.whole and b.whole)
  select 'before' as kind, count(*)::integer as accounts,
    sum(attempts) filter (where attempts_ref is not null) as attempts,
    sum(attempts_ref) filter (where attempts is not null) as attempts_ref,
    sum(busies) filter (where busies_ref is not null) as busies,
    sum(busies_ref) filter (where busies is not null) as busies_ref,
    sum(live) filter (where live_ref is not null) as live,
    sum(live_ref) filter (where live is not null) as live_ref,
    sum(part) filter (where rated) / nullif(sum(base) filter (where rated), 0) as rate,
    sum(part_ref) filter (where rated) / nullif(sum(base_ref) filter (where rated), 0) as rate_ref
  from pairs having count(*) > 0`;

/** The ten campaigns with the most attempts of the period. */
export const topCampaignsSql = `
  select account_id, callset_id, sum(attempts) as attempts, ${rateOf('connects')} as rate,
    ${rateOf('live_answers')} as live_rate
  from warehouse.campaign_days
  where day between ${first} and ${last} and account_id = any($2::integer[]) and withdrawn_at is null
  group by account_id, callset_id having sum(attempts) > 0
  order by sum(attempts) desc, account_id, callset_id limit 10`;

/** Each day as the chart has it. */
export const chartSql = `with ${days}
  select day::text, sum(attempts) as attempts, sum(connects) as connects,
    sum(part)::float8 / nullif(sum(base), 0) as rate
  from days where day <= $1::date group by day`;

export const toDateSql = `with ${days},
  spans as (
    select 'week' as period, date_trunc('week', $1::date)::date as first, 7 * interval '1 day' as ago
    union all select 'month', date_trunc('month', $1::date)::date, interval '1 month'),
  lengths as (
    select period, first, $1::date as last, (first - ago)::date as before_first, ($1::date - ago)::date as before_last
    from spans where first < $1::date),
  accounts as (
    select l.period, a.account_id,
      (select count(attempts) from days where account_id = a.account_id and day between first and last)
        = last - first + 1 as whole,
      (select count(attempts) from days where account_id = a.account_id and day between before_first and before_last)
        = before_last - before_first + 1 as comparable,
      now.attempts, now.part, now.base, past.attempts as past_attempts, past.part as past_part, past.base as past_base
    from lengths l cross join unnest($2::integer[]) a (account_id)
    cross join lateral (
      select sum(attempts) as attempts, sum(part) as part, sum(base) as base from days
      where account_id = a.account_id and day between first and last) now
    cross join lateral (
      select sum(attempts) as attempts, sum(part) as part, sum(base) as base from days
      where account_id = a.account_id and day between before_first and before_last) past)
  select period, count(*)::integer as accounts, sum(attempts) as attempts, sum(part) / nullif(sum(base), 0) as rate,
    sum(attempts) filter (where comparable) as now, sum(past_attempts) filter (where comparable) as past,
    sum(part) filter (where comparable) / nullif(sum(base) filter (where comparable), 0) as rate_now,
    sum(past_part) filter (where comparable) / nullif(sum(past_base) filter (where comparable), 0) as rate_past
  from accounts where whole group by period order by period desc`;

/** Each campaign of the five days beside its own mean: by subqueries, one number after the other. */
const campaigns = `campaigns as (
  select *, now - typical as moved from (
    select a.account_id, i.callset_id,
      coalesce((select attempts from warehouse.campaign_days c where c.account_id = a.account_id
        and c.callset_id = i.callset_id and c.day = $1::date and c.withdrawn_at is null), 0) as now,
      (select avg(coalesce(c.attempts, 0)) from days d
        left join warehouse.campaign_days c on c.account_id = d.account_id and c.day = d.day
          and c.callset_id = i.callset_id and c.withdrawn_at is null
        where d.account_id = a.account_id and $1::date - d.day in (7, 14, 21, 28)
          and (c.callset_id is null or c.attempts is not null)
        having count(*) >= 2) as typical
    from unnest($2::integer[]) a (account_id)
    cross join (select distinct callset_id from warehouse.campaign_days) i
    where exists (select from days d where d.account_id = a.account_id and d.day = $1::date)
      and not exists (select from warehouse.campaign_days c where c.account_id = a.account_id
        and c.callset_id = i.callset_id and c.day = $1::date and c.withdrawn_at is null and c.attempts is null)) m
  where typical is not null)`;

const movers = `movers as (
  select * from campaigns where abs(moved) >= 10 and abs(moved) >= typical * 0.1
  order by abs(moved) desc, account_id, callset_id limit 5)`;

export const moversSql = `with ${days}, ${campaigns}, ${movers}
  select account_id, callset_id, now, typical::float8 as typical from movers
  order by abs(moved) desc, account_id, callset_id`;

export const lowestRatesSql = `
  select account_id, callset_id, attempts, connects::float8 / attempts as rate,
    live_answers::float8 / attempts as live_rate
  from warehouse.campaign_days c
  where day = $1::date and account_id = any($2::integer[]) and withdrawn_at is null and connects is not null
    and attempts >= 20 and attempts * 100 >= (
      select sum(attempts) from warehouse.campaign_days a
      where a.day = $1::date and a.account_id = any($2::integer[]) and a.withdrawn_at is null)
  order by connects::numeric / attempts, attempts desc, account_id, callset_id limit 5`;

/** Which of both moved how far in times of its bound; and who made more than half of it. */
export const insightSql = `with ${days}, ${kinds}, ${compared}, ${campaigns}, ${movers},
  typical as (select * from compared where kind = 'typical'),
  moved as (
    select sum(attempts) - sum(attempts_ref) as calls,
      case when abs(sum(attempts) - sum(attempts_ref)) >= 20
        then (sum(attempts) - sum(attempts_ref)) / nullif(sum(attempts_ref), 0) / 0.1 end as by_calls,
      sum(part) / nullif(sum(base), 0) - sum(part_ref) / nullif(sum(base_ref), 0) as points,
      sum(base) as base,
      case when least(sum(base), sum(base_ref)) >= 100
        then (sum(part) / nullif(sum(base), 0) - sum(part_ref) / nullif(sum(base_ref), 0)) / 0.02 end as by_rate
    from typical having (select count(*) from days where day = $1::date) = cardinality($2::integer[])),
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
