-- How late do corrections come? In days of the account's zone, over the last ninety; changes of provisional days aren't corrections.
select (r.restated_at at time zone a.time_zone)::date - r.day as days_later, count(*) as changed_days,
  count(*) filter (where r.mailed) as mailed_before, sum(abs(r.attempts_after - r.attempts_before)) as attempts_moved
from warehouse.restated_days r
join warehouse.accounts a using (account_id)
where r.restated_at >= current_date - 90
group by days_later
order by days_later;
