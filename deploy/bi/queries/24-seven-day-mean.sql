-- What is the mean of seven days, with gaps as gaps? Of each account, for the last four weeks; marks means with provisional days.
-- If one of the seven days is not loaded, or reports no attempts, there is no mean.
select account, day, attempts, round(mean, 1) as mean_of_seven_days, provisional
from (
  select c.account, c.day, d.attempts,
    case when count(d.attempts) over last_seven = 7 then avg(d.attempts) over last_seven end as mean,
    coalesce(bool_or(d.provisional) over last_seven, false) as provisional
  from warehouse.coverage c
  left join warehouse.account_days d on d.account_id = c.account_id and d.day = c.day
  where c.day >= current_date - 34 and c.day < current_date
  window last_seven as (partition by c.account_id order by c.day range between interval '6 days' preceding and current row)
) m
where day >= current_date - 28
order by account, day;
