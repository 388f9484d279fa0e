-- What did the balances of each account's clients add up to at the end of last month, without clients that were absent then?
select a.name as account, count(*) as clients, sum(b.balance) as balance
from (
  select distinct on (account_id, client_id) account_id, client_id, balance
  from warehouse.client_balances
  where day < date_trunc('month', current_date)::date
  order by account_id, client_id, day desc
) b
join warehouse.accounts a using (account_id)
where not exists (
  select from warehouse.client_absences g
  where g.account_id = b.account_id and g.client_id = b.client_id
    and (g.absent_at at time zone a.time_zone)::date < date_trunc('month', current_date)::date
    and (g.returned_at is null or (g.returned_at at time zone a.time_zone)::date >= date_trunc('month', current_date)::date)
)
group by a.name
order by a.name;
