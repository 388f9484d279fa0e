-- Which days are not loaded, or wait with a newer response, and why?
select account, day, state, held, reason_code, reason
from warehouse.coverage
where state <> 'loaded' or held
order by day desc, account;
