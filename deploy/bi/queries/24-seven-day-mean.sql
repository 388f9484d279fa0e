-- What is the mean of each account's attempts over seven days, for the last four weeks? Where one of the seven is not loaded
-- there is no mean: a gap stays a gap. A loaded day without campaigns is 0.
select account, day, attempts, round(mean, 1) as mean_of_seven_days
from (
  select c.account, c.day, d.attempts,
    case when count(d.day) over last_seven = 7 then avg(d.attempts) over last_seven end as mean
  from warehouse.coverage c
  left join (
    select account, day, case when listed_campaigns = 0 then 0 else attempts end as attempts
    from warehouse.account_days
    where day >= current_date - 35
  ) d using (account, day)
  where c.day >= current_date - 35
  window last_seven as (partition by c.account order by c.day rows 6 preceding)
) m
where day >= current_date - 28
order by account, day;
