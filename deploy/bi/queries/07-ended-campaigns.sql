-- Which campaigns stopped: with attempts in the week before last, but none in the last seven days? Days that are not loaded
-- yet look the same: see 05 and 12.
select account, callset_id, (array_agg(campaign order by day desc))[1] as campaign, max(day) as last_day, sum(attempts) as attempts
from warehouse.campaign_days
where day >= current_date - 14 and attempts > 0
group by account, callset_id
having max(day) < current_date - 7
order by last_day desc, account, callset_id;
