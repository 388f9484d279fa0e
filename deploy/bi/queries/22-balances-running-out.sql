-- Which balances run out within fourteen days? If they fall as they did in the fourteen days before the last client list.
-- Top-ups are rows, too: only what fell counts as spent. A client that is new has fewer days.
with listed as (
  select c.*, a.name as account, (a.clients_walked_at at time zone a.time_zone)::date as today,
    (c.first_seen_at at time zone a.time_zone)::date as first_day
  from warehouse.clients c
  join warehouse.accounts a using (account_id)
  where c.absent_at is null and c.balance > 0
), falling as (
  select l.account, l.client_id, l.name as client, l.balance, s.spent,
    floor(l.balance * least(14, l.today - l.first_day) / s.spent)::bigint as days_left
  from listed l
  join (
    select b.account_id, b.client_id, sum(b.previous_balance - b.balance) as spent
    from warehouse.client_balances b
    join listed l using (account_id, client_id)
    where b.day > current_date - 30 and b.day > l.today - 14 and b.balance < b.previous_balance
    group by b.account_id, b.client_id
  ) s using (account_id, client_id)
)
select account, client_id, client, balance, spent, days_left
from falling
where days_left <= 14
order by days_left, account, client_id;
