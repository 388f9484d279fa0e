-- Which clients' balances fell in the last seven days, today's list included, and by how much?
select a.name as account, c.client_id, c.name as client, b.day, b.previous_balance, b.balance,
  b.previous_balance - b.balance as fell_by
from warehouse.client_balances b
join warehouse.clients c using (account_id, client_id)
join warehouse.accounts a using (account_id)
where b.day > current_date - 7 and b.balance < b.previous_balance and c.absent_at is null
order by fell_by desc, account, c.client_id, b.day;
