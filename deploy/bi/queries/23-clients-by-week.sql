-- How many clients did each account have at the end of each of the last eight weeks, how many came, and how many left? The
-- first walk found all that were there before. A client that came back doesn't count while it was absent.
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
    count(*) filter (where gone >= monday and gone < next) as went
  from weeks
  cross join absences
  group by account, monday
)
select l.account, l.monday as week, l.clients - coalesce(a.clients, 0) as clients, l.came, coalesce(a.went, 0) as went
from listed l
left join absent a using (account, monday)
where l.clients > 0
order by week desc, account;
