-- What is the mean of each account's attempts over seven days, for the last four weeks? If one of the seven is not loaded, or
-- reports no attempts, there is no mean: a gap stays a gap.
select account, day, attempts, round(mean, 1) as mean_of_seven_days
from (
  select c.account, c.day, d.attempts,
    case when count(d.attempts) over last_seven = 7 then avg(d.attempts) over last_seven end as mean
  from warehouse.coverage c
  left join warehouse.account_days d on d.account_id = c.account_id and d.day = c.day
  where c.day >= current_date - 35
  window last_seven as (partition by c.account order by c.day rows 6 preceding)
) m
where day >= current_date - 28
order by account, day;
