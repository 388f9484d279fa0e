-- How fresh is each account?
select account, complete_through, open_days, last_loaded_at
from warehouse.freshness
order by complete_through nulls first, account;
