-- Which campaigns made the most attempts in the last seven days? Marks those with provisional days.
-- A campaign's name is that of its newest day.
select account, callset_id, (array_agg(campaign order by day desc))[1] as campaign,
  case when count(attempts) = count(*) then sum(attempts) end as attempts,
  round(sum(connects) filter (where attempts is not null)
    / nullif(sum(attempts) filter (where connects is not null), 0), 4) as connect_rate,
  count(*) filter (where provisional) as provisional_days
from warehouse.campaign_days
where day >= current_date - 7 and day < current_date
group by account, callset_id
order by attempts desc nulls last, account, callset_id
limit 20;
