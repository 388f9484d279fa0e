-- A campaign's totals, across renames. Over the last four weeks; counts the provisional days in the sums.
-- A campaign keeps its id when it is renamed; its name is that of its newest day.
select account, callset_id, (array_agg(campaign order by day desc))[1] as campaign, count(distinct campaign) as names,
  count(*) filter (where attempts > 0) as days,
  case when count(attempts) = count(*) then sum(attempts) end as attempts,
  case when count(connects) = count(*) then sum(connects) end as connects,
  count(*) filter (where provisional) as provisional_days
from warehouse.campaign_days
where day >= current_date - 28 and day < current_date
group by account, callset_id
having sum(attempts) > 0
order by sum(attempts) desc, account, callset_id
limit 50;
