-- Which campaigns of the last four weeks ran in more than one calendar month, and how many attempts did they make in each?
with longer as (
  select account_id, callset_id, name, first_day, last_day
  from warehouse.campaigns
  where last_day >= current_date - 28 and date_trunc('month', first_day) < date_trunc('month', last_day)
)
select d.account, d.callset_id, l.name, date_trunc('month', d.day)::date as month,
  case when count(d.attempts) = count(*) then sum(d.attempts) end as attempts
from longer l
join warehouse.campaign_days d using (account_id, callset_id)
where d.day >= (select min(first_day) from longer) and d.day between l.first_day and l.last_day and not d.provisional
group by d.account, d.callset_id, l.name, date_trunc('month', d.day)
having sum(d.attempts) > 0
order by d.account, d.callset_id, month;
