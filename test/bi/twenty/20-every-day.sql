-- Which accounts made attempts on each of the last fourteen days, and how many days did the others skip, or are not known?
select c.account, count(*) filter (where d.active_campaigns > 0) as days_with_attempts,
  count(*) filter (where d.attempts = 0 and not d.provisional) as skipped,
  count(*) filter (where d.day is null or d.provisional and d.attempts = 0 or d.attempts is null) as not_known
from warehouse.coverage c
left join warehouse.account_days d on d.account_id = c.account_id and d.day = c.day
where c.day >= current_date - 14 and c.day < current_date
group by c.account
order by c.account;
