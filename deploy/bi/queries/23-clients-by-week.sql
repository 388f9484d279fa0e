-- How many clients were there at the end of each week, and how many came, left and came back? Over the last eight weeks.
-- The first list has all that were there before: they didn't come. A client doesn't count while it is absent.
with weeks as (
  select monday, monday + 7 as next
  from (select date_trunc('week', current_date)::date - 7 * n as monday from generate_series(0, 7) n) w
), clients as (
  select a.name as account, (c.first_seen_at at time zone a.time_zone)::date as came,
    c.first_seen_at > min(c.first_seen_at) over (partition by c.account_id) + interval '12 hours' as is_later
  from warehouse.clients c
  join warehouse.accounts a using (account_id)
), absences as (
  select a.name as account, (b.absent_at at time zone a.time_zone)::date as gone, (b.returned_at at time zone a.time_zone)::date as back
  from warehouse.client_absences b
  join warehouse.accounts a using (account_id)
), listed as (
  select account, monday, count(*) filter (where came < next) as clients,
    count(*) filter (where came >= monday and came < next and is_later) as came
  from weeks
  cross join clients
  group by account, monday
), absent as (
  select account, monday, count(*) filter (where gone < next and (back is null or back >= next)) as clients,
    count(*) filter (where gone >= monday and gone < next) as went,
    count(*) filter (where back >= monday and back < next) as came_back
  from weeks
  cross join absences
  group by account, monday
)
select l.account, l.monday as week, l.clients - coalesce(a.clients, 0) as clients, l.came,
  coalesce(a.went, 0) as went, coalesce(a.came_back, 0) as came_back
from listed l
left join absent a using (account, monday)
where l.clients > 0
order by week desc, account;
