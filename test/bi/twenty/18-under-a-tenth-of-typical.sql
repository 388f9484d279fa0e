-- Which accounts made less than a tenth of their typical attempts on a day of the last two weeks?
select account, day, attempts
from warehouse.account_performance
where day >= current_date - 14 and day < current_date and attempts_change_ratio < -0.9
order by account, day;
