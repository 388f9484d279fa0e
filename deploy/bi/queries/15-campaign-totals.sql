-- What did each campaign make in the last four weeks, over all names that it had? Its id stays when it is renamed; its name
-- is that of its newest day.
select account, callset_id, (array_agg(campaign order by day desc))[1] as campaign, count(distinct campaign) as names,
  count(*) filter (where attempts > 0) as days,
  case when count(attempts) = count(*) then sum(attempts) end as attempts,
  case when count(connects) = count(*) then sum(connects) end as connects
from warehouse.campaign_days
where day >= current_date - 28
group by account, callset_id
having sum(attempts) > 0
order by sum(attempts) desc, account, callset_id
limit 50;
