-- Clients whose balance is below a bound, the lowest first, and since when it is what it is.
with parameters as (select 100 as bound)
select a.name as account, c.client_id, c.name as client, c.balance,
  (select max(b.day) from warehouse.client_balances b
   where b.account_id = c.account_id and b.client_id = c.client_id) as since
from parameters
join warehouse.clients c on c.balance < parameters.bound and c.absent_since is null
join warehouse.accounts a using (account_id)
order by c.balance, account, c.client_id;
