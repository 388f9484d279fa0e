-- Which connect rate does each weekday have, over the last twelve weeks?
select to_char(day, 'FMDay') as weekday, count(*) as account_days, round(avg(attempts)) as attempts_a_day,
  round(sum(connect_rate * attempts) / sum(attempts) filter (where connect_rate is not null), 4) as connect_rate
from warehouse.account_days
where day >= current_date - 84 and not provisional and not short
group by to_char(day, 'FMDay'), extract(isodow from day)
order by extract(isodow from day);
