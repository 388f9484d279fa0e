-- How many hours after a day was over were its figures confirmed, on average, by account, over the last thirty days?
select d.account, round(avg(extract(epoch from d.confirmed_at - (d.day + 1)::timestamp at time zone a.time_zone) / 3600), 1) as hours
from warehouse.account_days d
join warehouse.accounts a using (account_id)
where d.day >= current_date - 30 and d.day < current_date and not d.provisional
group by d.account
order by d.account;
