-- How many new clients did each week have? The first walk, which finds all clients that were there before, is left out.
with seen as (
  select a.name as account, c.first_seen_at, min(c.first_seen_at) over (partition by account_id) as first_walk_at
  from warehouse.clients c
  join warehouse.accounts a using (account_id)
)
select account, date_trunc('week', first_seen_at)::date as week, count(*) as new_clients
from seen
where first_seen_at > first_walk_at + interval '12 hours'
group by account, week
order by week desc, account;
