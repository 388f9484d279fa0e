-- On which nights of the last month did only a retry load something new, and which ended without any run that was done?
select run_date, bool_or(number > 1 and days_new > 0) as new_on_retry, not bool_or(coalesce(outcome, '') = 'done') as never_done
from warehouse.runs
where kind = 'nightly' and run_date >= current_date - 30
group by run_date
having bool_or(number > 1 and days_new > 0) or not bool_or(coalesce(outcome, '') = 'done')
order by run_date;
