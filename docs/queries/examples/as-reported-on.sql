-- The figures of an account's days as they were reported at an instant: what a digest of that morning was made from.
-- It reads etl, so it runs as the job's role.
with parameters as not materialized (
  select 'north' as account, date '2026-11-01' as first_day, date '2026-11-15' as last_day,
    timestamptz '2026-11-16 07:00 UTC' as reported_at
), later as (
  select distinct on (r.account_id, r.day, r.callset_id) r.*
  from parameters
  join warehouse.accounts a on a.name = parameters.account
  join warehouse.campaign_day_restatements r on r.account_id = a.account_id
    and r.day between parameters.first_day and parameters.last_day and r.restated_at > parameters.reported_at
  order by r.account_id, r.day, r.callset_id, r.restated_at
)
select day, callset_id, campaign_before as campaign, attempts_before as attempts, busies_before as busies,
  connects_before as connects, live_answers_before as live_answers
from parameters, later
where loaded_at <= parameters.reported_at
union all
select d.day, d.callset_id, d.campaign, d.attempts, d.busies, d.connects, d.live_answers
from parameters
join warehouse.accounts a on a.name = parameters.account
join etl.campaign_days d on d.account_id = a.account_id and d.day between parameters.first_day and parameters.last_day
  and d.loaded_at <= parameters.reported_at and (d.withdrawn_at is null or d.withdrawn_at > parameters.reported_at)
where not exists (select from later l where l.day = d.day and l.callset_id = d.callset_id)
order by day, callset_id;
