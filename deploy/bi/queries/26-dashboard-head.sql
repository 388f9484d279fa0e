-- Figures for the top of a dashboard. Of the newest day that all accounts have, without provisional days.
-- "accounts" had to have that day; "open_days" counts, of all days, those that are still missing or provisional.
with newest as (
  select c.day, count(*) as accounts
  from warehouse.coverage c
  where c.day >= current_date - 62
  group by c.day
  having bool_and(c.state = 'loaded') and count(*) >= (
    select count(*)
    from warehouse.accounts a
    where a.first_expected_day <= c.day and coalesce(a.last_expected_day, c.day) >= c.day
  )
  order by c.day desc
  limit 1
)
select n.day, n.accounts, (select sum(open_days) from warehouse.freshness) as open_days,
  sum(d.active_campaigns) as campaigns,
  case when count(d.attempts) = count(d.day) then sum(d.attempts) end as attempts,
  round(sum(d.connect_rate_connects) / nullif(sum(d.connect_rate_attempts), 0), 4) as connect_rate,
  case when count(d.live_answers) = count(d.day) then sum(d.live_answers) end as live_answers
from newest n
left join warehouse.account_days d on d.day = n.day
group by n.day, n.accounts;
