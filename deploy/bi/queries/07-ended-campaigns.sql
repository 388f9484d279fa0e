-- Which campaigns ended: with attempts in the last four weeks, but none in the last one?
select account, callset_id, max(campaign) as campaign, max(day) as last_day, sum(attempts) as attempts
from warehouse.campaign_days
where day >= current_date - 28 and attempts > 0
group by account, callset_id
having max(day) < current_date - 7
order by last_day desc, account, callset_id;
