-- Which campaigns started in the last seven days, and how did they do against their account in that time? Started: with
-- attempts now, and none in the four weeks before; a pause of four weeks looks the same.
with recent as (
  select account, callset_id, (array_agg(campaign order by day desc))[1] as campaign,
    min(day) filter (where attempts > 0) as first_day,
    case when bool_and(attempts is not null) filter (where day >= current_date - 7)
      then sum(attempts) filter (where day >= current_date - 7) end as attempts,
    sum(connects) filter (where day >= current_date - 7 and attempts is not null) as part,
    sum(attempts) filter (where day >= current_date - 7 and connects is not null) as base
  from warehouse.campaign_days
  where day >= current_date - 35
  group by account, callset_id
)
select r.account, r.callset_id, r.campaign, r.first_day, r.attempts, round(r.part / nullif(r.base, 0), 4) as connect_rate,
  round(a.part / nullif(a.base, 0), 4) as account_connect_rate
from recent r
join (
  select account, sum(connect_rate_connects) as part, sum(connect_rate_attempts) as base
  from warehouse.account_days
  where day >= current_date - 7
  group by account
) a using (account)
where r.first_day >= current_date - 7
order by r.attempts desc nulls last, r.account, r.callset_id;
