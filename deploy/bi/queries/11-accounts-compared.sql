-- How do the accounts compare over the last four weeks?
select account, count(*) as days, sum(attempts) as attempts,
  round(100 * sum(attempts) / sum(sum(attempts)) over (), 1) as percent_of_all,
  round(sum(connect_rate * attempts) / sum(attempts) filter (where connect_rate is not null), 4) as connect_rate,
  count(*) filter (where short) as short_days
from warehouse.account_performance
where day >= current_date - 28 and day < current_date
group by account
order by attempts desc nulls last, account;
