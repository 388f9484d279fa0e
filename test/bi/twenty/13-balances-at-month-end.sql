-- What did the balances of each account's clients add up to at the end of last month, without clients that were absent then?
with month as (select date_trunc('month', current_date)::date as first)
select a.name as account, count(*) as clients, sum(b.balance) as balance
from warehouse.client_balances b
join warehouse.accounts a using (account_id)
where b.day < (select first from month) and (b.next_day >= (select first from month) or b.next_day is null)
  and not exists (
    select from warehouse.client_absences g
    where g.account_id = b.account_id and g.client_id = b.client_id
      and (g.absent_at at time zone a.time_zone)::date < (select first from month)
      and (g.returned_at is null or (g.returned_at at time zone a.time_zone)::date >= (select first from month))
  )
group by a.name
order by a.name;
