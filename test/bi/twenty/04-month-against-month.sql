-- By how many points did each account's connect rate of last month differ from that of the month before?
with months as (
  select account, date_trunc('month', day)::date as month,
    sum(connect_rate_connects) / nullif(sum(connect_rate_attempts), 0) as rate
  from warehouse.account_days
  where day >= date_trunc('month', current_date) - interval '2 months' and day < date_trunc('month', current_date) and not provisional
  group by 1, 2
)
select account, round(100 * (l.rate - b.rate), 2) as points
from months l
join months b using (account)
where l.month = date_trunc('month', current_date) - interval '1 month' and b.month = date_trunc('month', current_date) - interval '2 months'
order by account;
