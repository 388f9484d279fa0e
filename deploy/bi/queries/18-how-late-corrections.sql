-- How late do corrections come? By the number of days between a day and its change, over the last ninety. What changed while a
-- day was provisional is no correction.
select restated_at::date - day as days_later, count(*) as changed_days, count(*) filter (where mailed) as mailed_before,
  sum(abs(attempts_after - attempts_before)) as attempts_moved
from warehouse.restated_days
where restated_at >= current_date - 90
group by days_later
order by days_later;
