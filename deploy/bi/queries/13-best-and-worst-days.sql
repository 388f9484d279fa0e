-- Which days had the best and the worst connect rate? Of each account in the last four weeks, without provisional days.
-- Rates of fewer than 100 attempts differ by chance.
select account, day, connect_rate_attempts as attempts, round(connect_rate, 4) as connect_rate,
  case when best = 1 then 'best' else 'worst' end as is
from (
  select account, day, connect_rate_attempts, connect_rate,
    row_number() over (partition by account order by connect_rate desc, day) as best,
    row_number() over (partition by account order by connect_rate, day) as worst
  from warehouse.account_days
  where day >= current_date - 28 and day < current_date and not provisional and connect_rate_attempts >= 100
) d
where best = 1 or worst = 1
order by account, connect_rate desc, day;
