-- How do two campaigns compare, day by day? Over the last two weeks; marks provisional days.
-- Here the two with the most attempts: put the ids of yours into "pair". A day on which neither was listed has no row.
with pair as (
  select account_id, callset_id, row_number() over (order by sum(attempts) desc, account_id, callset_id) as place
  from warehouse.campaign_days
  where day >= current_date - 14 and day < current_date and attempts > 0
  group by account_id, callset_id
  order by place
  limit 2
)
select d.day,
  sum(d.attempts) filter (where p.place = 1) as first_attempts,
  round(sum(d.connects) filter (where p.place = 1 and d.attempts is not null)
    / nullif(sum(d.attempts) filter (where p.place = 1 and d.connects is not null), 0), 4) as first_rate,
  sum(d.attempts) filter (where p.place = 2) as second_attempts,
  round(sum(d.connects) filter (where p.place = 2 and d.attempts is not null)
    / nullif(sum(d.attempts) filter (where p.place = 2 and d.connects is not null), 0), 4) as second_rate,
  bool_or(d.provisional) as provisional
from warehouse.campaign_days d
join pair p using (account_id, callset_id)
where d.day >= current_date - 14 and d.day < current_date
group by d.day
order by d.day;
