-- What the service reported otherwise later of a month's days: the attempts before and after each change.
with parameters as (select date '2026-11-01' as month)
select a.name as account, r.day, r.callset_id, r.reason, r.restated_at, r.attempts as attempts_before,
  coalesce(lead(r.attempts) over changes, d.attempts) as attempts_after
from parameters
join warehouse.campaign_day_restatements r on r.day >= parameters.month and r.day < parameters.month + interval '1 month'
left join warehouse.campaign_days d using (account_id, day, callset_id)
join warehouse.accounts a using (account_id)
window changes as (partition by r.account_id, r.day, r.callset_id order by r.restated_at)
order by r.restated_at, account, r.day, r.callset_id;
