-- Which finished days were restated in the last thirty days, and by how much? Changes of provisional days aren't restatements.
-- From 0 there is no percentage.
select account, day, restated_at, changed_campaigns, attempts_before, attempts_after,
  attempts_after - attempts_before as change,
  round(100 * (attempts_after / nullif(attempts_before, 0) - 1), 1) as percent, mailed
from warehouse.restated_days
where restated_at >= current_date - 30
order by restated_at desc, account, day;
