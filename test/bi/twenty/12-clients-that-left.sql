-- Which clients does nobody list any more, for how many days had they been listed, and which balance did they leave?
select a.name as account, c.client_id, c.name as client,
  (c.absent_at at time zone a.time_zone)::date - (c.first_seen_at at time zone a.time_zone)::date as days, c.balance
from warehouse.clients c
join warehouse.accounts a using (account_id)
where c.absent_at is not null
order by a.name, c.client_id;
