-- How does each account's month, up to its last complete day, compare with as many days of the month before? The last months
-- differ in weekdays: both columns say how many of the days were weekdays, Monday to Friday.
with months as (
  select account, complete_through_day as last, date_trunc('month', complete_through_day)::date as first,
    (date_trunc('month', complete_through_day) - interval '1 month')::date as first_before
  from warehouse.freshness
  where complete_through_day is not null
), spans as (
  select account, last, first,
    first_before, least(first_before + (last - first), first - 1) as last_before
  from months
)
select s.account, s.last as month_to,
  count(*) filter (where d.day >= s.first) as days,
  count(*) filter (where d.day < s.first) as days_last_month,
  count(*) filter (where d.day >= s.first and extract(isodow from d.day) < 6) as weekdays,
  count(*) filter (where d.day < s.first and extract(isodow from d.day) < 6) as weekdays_last_month,
  case when bool_and(d.attempts is not null) filter (where d.day >= s.first)
    then sum(d.attempts) filter (where d.day >= s.first) end as attempts,
  case when bool_and(d.attempts is not null) filter (where d.day < s.first)
    then sum(d.attempts) filter (where d.day < s.first) end as attempts_last_month,
  case when bool_and(d.connects is not null) filter (where d.day >= s.first)
    then sum(d.connects) filter (where d.day >= s.first) end as connects,
  case when bool_and(d.connects is not null) filter (where d.day < s.first)
    then sum(d.connects) filter (where d.day < s.first) end as connects_last_month
from spans s
join warehouse.account_days d on d.account = s.account
  and (d.day between s.first and s.last or d.day between s.first_before and s.last_before)
group by s.account, s.last
order by s.account;
