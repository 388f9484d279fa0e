-- Which client's campaigns made the most attempts last month? An account that is no client has a row of its own.
select coalesce(client, account) as client, case when count(attempts) = count(*) then sum(attempts) end as attempts,
  count(distinct day) filter (where provisional) as provisional_days
from warehouse.campaign_days
where day >= date_trunc('month', current_date) - interval '1 month' and day < date_trunc('month', current_date)
group by coalesce(client, account)
order by attempts desc nulls last, client;
