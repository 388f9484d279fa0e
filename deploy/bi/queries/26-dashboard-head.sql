-- One row for the head of a dashboard: the newest day that is complete for all accounts, and its sums.
with newest as (
  select min(complete_through_day) as day, count(*) as accounts, sum(open_days) as open_days
  from warehouse.freshness
)
select n.day, n.accounts, n.open_days, sum(d.active_campaigns) as campaigns,
  case when count(d.attempts) = count(d.day) then sum(d.attempts) end as attempts,
  round(sum(d.connect_rate_connects) / nullif(sum(d.connect_rate_attempts), 0), 4) as connect_rate,
  case when count(d.live_answers) = count(d.day) then sum(d.live_answers) end as live_answers
from newest n
left join warehouse.account_days d on d.day = n.day
group by n.day, n.accounts, n.open_days;
