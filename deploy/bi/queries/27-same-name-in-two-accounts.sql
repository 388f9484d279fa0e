-- Which names of campaigns are in two accounts or more? In the last four weeks; marks those with provisional days.
-- They are different campaigns: ids belong to an account. Unless two accounts have one token, which an alert says.
select campaign, count(distinct account) as accounts, string_agg(distinct account, ', ' order by account) as names,
  sum(attempts) as attempts, bool_or(provisional) as provisional
from warehouse.campaign_days
where day >= current_date - 28 and day < current_date and attempts > 0
group by campaign
having count(distinct account) > 1
order by attempts desc, campaign;
