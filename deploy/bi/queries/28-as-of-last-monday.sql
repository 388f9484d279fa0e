-- A day's figures as of last Monday, 08:00 UTC, and now. Null if the day was provisional then, or not loaded.
-- Only confirmed figures are kept. Here for the two weeks before that Monday.
with instant as (
  select (date_trunc('week', now() at time zone 'UTC') + interval '8 hours') at time zone 'UTC' as at
)
select d.account, d.day,
  case
    when d.confirmed_at is null or d.confirmed_at > i.at then null
    when r.day is not null then r.attempts_before
    else d.attempts
  end as attempts_then,
  d.attempts as attempts_now, d.provisional
from instant i
join warehouse.account_days d on d.day >= (i.at at time zone 'UTC')::date - 14 and d.day < (i.at at time zone 'UTC')::date
left join lateral (
  select r.day, r.attempts_before
  from warehouse.restated_days r
  where r.account_id = d.account_id and r.day = d.day and r.restated_at > i.at
  order by r.restated_at
  limit 1
) r on true
order by d.account, d.day;
