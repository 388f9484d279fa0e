-- What share of each account's attempts of the last eight weeks fell on a Saturday or Sunday?
select account, case when count(attempts) = count(*) then
    round(100 * coalesce(sum(attempts) filter (where extract(isodow from day) >= 6), 0) / nullif(sum(attempts), 0), 1) end as weekend_percent
from warehouse.account_days
where day >= current_date - 56 and day < current_date and not provisional
group by account
order by account;
