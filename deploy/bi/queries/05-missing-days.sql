-- Which days are missing or held, and why? Lists provisional days, too.
select account, day, state, held, reason_code, reason
from warehouse.coverage
where state <> 'loaded' or held
order by day desc, account;
