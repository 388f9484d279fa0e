-- Which nights of the last thirty days did not end well, for how long, and why? A retry of a night has its own row.
-- Without an error, mail was left for the next run: 20-undelivered-mails has the replies of what nobody got since.
select run_date, number, started_at, date_trunc('second', finished_at - started_at) as took, outcome, exit_code,
  days_synced, days_failed, first_error_code, first_error_account, first_error
from warehouse.runs
where kind = 'nightly' and started_at >= current_date - 30 and outcome is distinct from 'done'
order by started_at desc;
