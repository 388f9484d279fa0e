-- What did the balances of each account's clients add up to at the end of last month, without clients that were absent then?
select account, count(*) as clients, sum(balance) as balance
from warehouse.client_days
where day = (select date_trunc('month', current_date)::date - 1)
group by account
order by account;
