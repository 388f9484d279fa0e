-- Up to which day the figures of each account are complete, and how many days up to yesterday are not.
select account, complete_through, open_days
from warehouse.freshness
order by account;
