-- What share of each account's attempts did its three largest campaigns make in the last seven days? Marks provisional days.
-- An account with a campaign that does not report attempts is left out.
select account, sum(attempts) as attempts,
  round(100 * sum(attempts) filter (where place <= 3) / nullif(sum(attempts), 0), 1) as percent_of_top_three,
  bool_or(provisional) as provisional
from (
  select account, callset_id, sum(attempts) as attempts, count(attempts) = count(*) as is_known, bool_or(provisional) as provisional,
    row_number() over (partition by account order by sum(attempts) desc nulls last, callset_id) as place
  from warehouse.campaign_days
  where day >= current_date - 7 and day < current_date
  group by account, callset_id
) c
group by account
having bool_and(is_known)
order by account;
