-- How many new clients did each week have? The first list, with all clients that were there before, is left out.
with firsts as (
  select account_id, min(first_seen_at) as began_at
  from warehouse.clients
  group by account_id
)
select a.name as account, date_trunc('week', c.first_seen_at at time zone a.time_zone)::date as week, count(*) as new_clients
from warehouse.clients c
join firsts f using (account_id)
join warehouse.accounts a using (account_id)
where c.first_seen_at > f.began_at + interval '12 hours'
group by account, week
order by week desc, account;
