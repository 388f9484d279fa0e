-- What was the median of attempts of a campaign on a day, by account, last month? Only campaigns that made attempts that day.
select account, percentile_cont(0.5) within group (order by attempts) as median
from warehouse.campaign_days
where day >= date_trunc('month', current_date) - interval '1 month' and day < date_trunc('month', current_date)
  and attempts > 0 and not provisional
group by account
order by account;
