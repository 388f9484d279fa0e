-- What was each account's longest streak of days without an attempt in the last 90 days? A day that is not confirmed ends it.
with days as (
  select c.account, c.day, coalesce(d.attempts = 0 and not d.provisional, false) as silent
  from warehouse.coverage c
  left join warehouse.account_days d on d.account_id = c.account_id and d.day = c.day
  where c.day >= current_date - 90 and c.day < current_date
), streaks as (
  select account, count(*) as days
  from (select account, day, day - (row_number() over (partition by account order by day))::int as streak from days where silent) s
  group by account, streak
)
select a.account, coalesce(max(s.days), 0) as longest
from (select distinct account from days) a
left join streaks s using (account)
group by a.account
order by a.account;
