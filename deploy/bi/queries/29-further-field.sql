-- What is the sum of a field that the service's document does not name, in the last four weeks? Put its name for "cost". A
-- value that is no number is left out, and counted.
select account, count(*) as campaign_rows, count(extra ->> 'cost') as with_value,
  count(*) filter (where extra ->> 'cost' !~ '^-?\d+(\.\d+)?$') as not_numbers,
  sum(case when extra ->> 'cost' ~ '^-?\d+(\.\d+)?$' then (extra ->> 'cost')::numeric end) as cost
from warehouse.campaign_days
where day >= current_date - 28
group by account
order by account;
