-- Which names of campaigns are in two accounts or more, in the last four weeks? They are different campaigns: ids belong to
-- an account.
select campaign, count(distinct account) as accounts, string_agg(distinct account, ', ' order by account) as names,
  sum(attempts) as attempts
from warehouse.campaign_days
where day >= current_date - 28 and attempts > 0
group by campaign
having count(distinct account) > 1
order by attempts desc, campaign;
