-- What is the sum of a field that the document doesn't name? In the last four weeks; marks accounts with provisional days.
-- Put its name for "cost". A value that is no number is left out, and counted.
select account, count(*) as campaign_rows, count(extra ->> 'cost') as with_value,
  count(*) filter (where extra ->> 'cost' !~ '^-?\d+(\.\d+)?$') as not_numbers,
  sum(case when extra ->> 'cost' ~ '^-?\d+(\.\d+)?$' then (extra ->> 'cost')::numeric end) as cost,
  bool_or(provisional) as provisional
from warehouse.campaign_days
where day >= current_date - 28 and day < current_date
group by account
order by account;
