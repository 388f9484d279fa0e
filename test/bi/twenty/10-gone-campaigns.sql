-- Which campaigns disappeared from a finished day and are still gone, and how many attempts went with them?
select distinct on (account, r.day, r.callset_id) a.name as account, r.day, r.callset_id, r.attempts_before
from warehouse.campaign_day_restatements r
join warehouse.accounts a using (account_id)
where r.reason = 'withdrawn' and not exists (
    select from warehouse.campaign_days d
    where d.account_id = r.account_id and d.day = r.day and d.callset_id = r.callset_id
  )
order by account, r.day, r.callset_id, r.restated_at desc;
