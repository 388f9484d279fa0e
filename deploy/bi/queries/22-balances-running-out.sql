-- Which balances run out within fourteen days? If they fall as they did in the fourteen days before the last client list.
-- Top-ups are rows, too: only what fell counts as spent. A client that is new has fewer days. What has run out already isn't listed.
with listed as (
  select account_id, name as account, (clients_walked_at at time zone time_zone)::date as last_day, time_zone
  from warehouse.accounts
), spent as (
  select account_id, client_id, sum(previous_balance - balance) as spent
  from warehouse.client_balances
  join listed using (account_id)
  where day > current_date - 30 and day > last_day - 14 and balance < previous_balance
  group by account_id, client_id
)
select account, client_id, name as client, balance, spent, days_left
from spent
join listed using (account_id)
join warehouse.clients c using (account_id, client_id)
cross join lateral (
  select floor(balance * least(14, last_day - (first_seen_at at time zone time_zone)::date) / spent)::bigint as days_left
) d
where absent_at is null and balance > 0 and days_left <= 14
order by days_left, account, client_id;
