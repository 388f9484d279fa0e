-- Which clients' balances run out within fourteen days, if they go on as in the last fourteen? Top-ups are rows, too: only
-- what fell counts as spent.
select a.name as account, c.client_id, c.name as client, c.balance, s.spent,
  floor(c.balance * 14 / s.spent)::bigint as days_left
from warehouse.clients c
join warehouse.accounts a on a.account_id = c.account_id
join (
  select account_id, client_id, sum(previous_balance - balance) as spent
  from warehouse.client_balances
  where day >= current_date - 14 and balance < previous_balance
  group by account_id, client_id
) s on s.account_id = c.account_id and s.client_id = c.client_id
where c.absent_at is null and c.balance > 0 and c.balance <= s.spent
order by days_left, account, c.client_id;
