-- How many clients did each account have at the end of each of the last eight weeks, how many came, and how many left? The
-- first walk found all that were there before. A client that came back counts as never gone.
with weeks as (
  select monday, monday + 7 as next
  from (select date_trunc('week', current_date)::date - 7 * n as monday from generate_series(0, 7) n) w
), clients as (
  select a.name as account, (c.first_seen_at at time zone a.time_zone)::date as came, (c.absent_at at time zone a.time_zone)::date as gone,
    c.first_seen_at > min(c.first_seen_at) over (partition by c.account_id) + interval '12 hours' as is_later
  from warehouse.clients c
  join warehouse.accounts a using (account_id)
)
select account, monday as week, count(*) filter (where came < next and (gone is null or gone >= next)) as clients,
  count(*) filter (where came >= monday and came < next and is_later) as came,
  count(*) filter (where gone >= monday and gone < next) as went
from weeks
cross join clients
group by account, monday
having count(*) filter (where came < next) > 0
order by week desc, account;
