-- How does each account's month up to its yesterday compare with the same days of the month before?
with days as (
  select account, day, attempts, connects, (now() at time zone time_zone)::date - 1 as yesterday
  from warehouse.account_performance
)
select account, yesterday as month_to,
  sum(attempts) filter (where day >= date_trunc('month', yesterday)) as attempts,
  sum(attempts) filter (where day <= yesterday - interval '1 month') as attempts_last_month,
  sum(connects) filter (where day >= date_trunc('month', yesterday)) as connects,
  sum(connects) filter (where day <= yesterday - interval '1 month') as connects_last_month
from days
where day >= date_trunc('month', yesterday) - interval '1 month' and day <= yesterday
group by account, yesterday
order by account;
