-- Which connect rate does each weekday have, over the last twelve weeks?
select to_char(day, 'FMDay') as weekday, count(*) as account_days, round(avg(attempts)) as attempts_a_day,
  round(sum(connect_rate_connects) / nullif(sum(connect_rate_attempts), 0), 4) as connect_rate
from warehouse.account_days
where day >= current_date - 84 and not provisional
group by to_char(day, 'FMDay'), extract(isodow from day)
order by extract(isodow from day);
