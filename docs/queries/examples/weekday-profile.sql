-- What an account's weekdays are like: means of the last twelve weeks, without days that were not over.
with parameters as (select 'north' as account, date '2026-11-20' as last_day)
select extract(isodow from s.day)::integer as weekday, trim(to_char(min(s.day), 'Day')) as name, count(*) as days,
  round(avg(s.attempts)) as attempts, round(avg(s.campaigns), 1) as campaigns,
  round(sum(s.connects) / nullif(sum(s.attempts), 0), 4) as connect_rate
from parameters
join warehouse.accounts a on a.name = parameters.account
join warehouse.account_days s on s.account_id = a.account_id
  and s.day > parameters.last_day - 84 and s.day <= parameters.last_day and not s.provisional
group by weekday
order by weekday;
