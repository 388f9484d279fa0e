-- Which campaigns ended: with attempts in the week before last, but none in the last seven days?
select account, callset_id, max(campaign) as campaign, max(day) as last_day, sum(attempts) as attempts
from warehouse.campaign_days
where day >= current_date - 14 and attempts > 0
group by account, callset_id
having max(day) < current_date - 7
order by last_day desc, account, callset_id;
