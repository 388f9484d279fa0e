-- Which campaigns had connects but not one live answer on a day, in the last thirty days?
select account, day, callset_id, connects
from warehouse.campaign_days
where day >= current_date - 30 and day < current_date and not provisional and connects > 0 and live_answers = 0
order by account, day, callset_id;
