-- How many of last week's attempts, Monday to Sunday, came from campaigns that started that week?
select d.account,
  coalesce(sum(d.attempts) filter (where c.is_start_known and c.first_day >= date_trunc('week', current_date)::date - 7), 0) as of_new_campaigns,
  sum(d.attempts) as attempts
from warehouse.campaign_days d
join warehouse.campaigns c using (account_id, callset_id)
where d.day >= date_trunc('week', current_date)::date - 7 and d.day < date_trunc('week', current_date)::date and not d.provisional
group by d.account
order by d.account;
