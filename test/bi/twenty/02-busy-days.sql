-- On which of the last 42 days was an account's busy rate above 15%?
select account, day, round(100 * busy_rate, 1) as busy_percent
from warehouse.account_days
where day >= current_date - 42 and day < current_date and not provisional and busy_rate > 0.15
order by account, day;
