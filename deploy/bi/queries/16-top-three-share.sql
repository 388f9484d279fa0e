-- Which share of each account's attempts did its three largest campaigns make in the last seven days?
select account, sum(attempts) as attempts,
  round(100 * sum(attempts) filter (where place <= 3) / nullif(sum(attempts), 0), 1) as percent_of_top_three
from (
  select account, callset_id, sum(attempts) as attempts,
    row_number() over (partition by account order by sum(attempts) desc nulls last, callset_id) as place
  from warehouse.campaign_days
  where day >= current_date - 7 and day < current_date
  group by account, callset_id
) c
group by account
order by account;
