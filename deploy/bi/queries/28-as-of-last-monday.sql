-- What did the days of the two weeks before say last Monday at 08:00 UTC, and what do they say now? Null: not loaded yet. What
-- a provisional day said before it was confirmed is not kept.
with instant as (
  select date_trunc('week', now() at time zone 'UTC') + interval '8 hours' as at
)
select d.account, d.day,
  case
    when d.first_loaded_at at time zone 'UTC' > i.at then null
    when r.day is not null then r.attempts_before
    else d.attempts
  end as attempts_then,
  d.attempts as attempts_now
from instant i
join warehouse.account_days d on d.day >= i.at::date - 14 and d.day < i.at::date
left join lateral (
  select r.day, r.attempts_before
  from warehouse.restated_days r
  where r.account_id = d.account_id and r.day = d.day and r.restated_at at time zone 'UTC' > i.at
  order by r.restated_at
  limit 1
) r on true
order by d.account, d.day;
