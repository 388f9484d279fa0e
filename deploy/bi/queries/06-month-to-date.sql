-- How does this month compare with as many days of the last one? Up to each account's last confirmed day, without provisional days.
-- A day that isn't confirmed is in no sum: compare the numbers of days first, and of weekdays, Monday to Friday.
with months as (
  select account_id, max(day) as last, date_trunc('month', max(day))::date as first
  from warehouse.account_days
  where day >= current_date - 62 and not provisional
  group by account_id
), days as (
  select d.account, m.last, d.day >= m.first as is_current, extract(isodow from d.day) < 6 as is_weekday, d.attempts, d.connects
  from months m
  join warehouse.account_days d on d.account_id = m.account_id and not d.provisional and (
    d.day between m.first and m.last
    or d.day between m.first - interval '1 month' and least(m.first - interval '1 month' + (m.last - m.first) * interval '1 day', m.first - 1)
  )
)
select account, last as month_to,
  count(*) filter (where is_current) as days,
  count(*) filter (where not is_current) as days_last_month,
  count(*) filter (where is_current and is_weekday) as weekdays,
  count(*) filter (where not is_current and is_weekday) as weekdays_last_month,
  case when bool_and(attempts is not null) filter (where is_current)
    then sum(attempts) filter (where is_current) end as attempts,
  case when bool_and(attempts is not null) filter (where not is_current)
    then sum(attempts) filter (where not is_current) end as attempts_last_month,
  case when bool_and(connects is not null) filter (where is_current)
    then sum(connects) filter (where is_current) end as connects,
  case when bool_and(connects is not null) filter (where not is_current)
    then sum(connects) filter (where not is_current) end as connects_last_month
from days
group by account, last
order by account;
