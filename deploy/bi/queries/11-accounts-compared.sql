-- How do the accounts compare over the last four weeks? Counts the provisional days in the sums.
select account, count(*) as days, case when count(attempts) = count(*) then sum(attempts) end as attempts,
  round(100 * sum(attempts) / case when bool_and(count(attempts) = count(*)) over () then sum(sum(attempts)) over () end, 1)
    as percent_of_all,
  round(sum(connect_rate_connects) / nullif(sum(connect_rate_attempts), 0), 4) as connect_rate,
  count(*) filter (where provisional) as provisional_days
from warehouse.account_days
where day >= current_date - 28 and day < current_date
group by account
order by attempts desc nulls last, account;
