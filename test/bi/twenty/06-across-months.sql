-- Which campaigns of the last four weeks ran in more than one calendar month, and how many attempts did they make in each?
select d.account, d.callset_id, c.name, date_trunc('month', d.day)::date as month,
  case when count(d.attempts) = count(*) then sum(d.attempts) end as attempts
from warehouse.campaigns c
join warehouse.campaign_days d using (account_id, callset_id)
where c.last_day >= current_date - 28 and date_trunc('month', c.first_day) < date_trunc('month', c.last_day)
  and d.day between c.first_day and c.last_day and not d.provisional
group by d.account, d.callset_id, c.name, date_trunc('month', d.day)
having sum(d.attempts) > 0
order by d.account, d.callset_id, month;
