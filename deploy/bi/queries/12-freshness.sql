-- How fresh is each account? A provisional day is open, and not complete.
select account, complete_through_day, open_days, last_synced_at
from warehouse.freshness
order by complete_through_day nulls first, account;
