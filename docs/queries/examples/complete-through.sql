-- Up to which day the figures of each account are complete, and how many days after it are not.
select account,
  coalesce(min(day) filter (where state <> 'loaded') - 1, max(day)) as complete_through,
  count(*) filter (where state <> 'loaded') as days_lacking
from warehouse.coverage
group by account
order by account;
