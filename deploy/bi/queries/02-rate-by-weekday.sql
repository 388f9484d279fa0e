-- What is the connect rate by weekday? Over the last twelve weeks, without provisional days.
select to_char(day, 'FMDay') as weekday, count(*) as account_days,
  case when count(attempts) = count(*) then round(avg(attempts)) end as attempts_a_day,
  round(sum(connect_rate_connects) / nullif(sum(connect_rate_attempts), 0), 4) as connect_rate
from warehouse.account_days
where day >= current_date - 84 and day < current_date and not provisional
group by to_char(day, 'FMDay'), extract(isodow from day)
order by extract(isodow from day);
