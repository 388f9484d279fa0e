-- How do two campaigns compare day by day, over the last two weeks? Here the two with the most attempts: put the ids of
-- yours into "pair". A day on which neither ran has no row.
with pair as (
  select account, callset_id, row_number() over (order by sum(attempts) desc, account, callset_id) as place
  from warehouse.campaign_days
  where day >= current_date - 14 and attempts > 0
  group by account, callset_id
  order by place
  limit 2
)
select d.day,
  sum(d.attempts) filter (where p.place = 1) as first_attempts,
  round(sum(d.connects) filter (where p.place = 1 and d.attempts is not null)
    / nullif(sum(d.attempts) filter (where p.place = 1 and d.connects is not null), 0), 4) as first_rate,
  sum(d.attempts) filter (where p.place = 2) as second_attempts,
  round(sum(d.connects) filter (where p.place = 2 and d.attempts is not null)
    / nullif(sum(d.attempts) filter (where p.place = 2 and d.connects is not null), 0), 4) as second_rate
from warehouse.campaign_days d
join pair p using (account, callset_id)
where d.day >= current_date - 14
group by d.day
order by d.day;
