-- Which mails of the last ninety days reported attempts that are wrong by 5% or more today? A correction that was mailed since
-- has a row of its own; "corrected" says whether there is one.
select m.digest, m.period, m.first_day, m.last_day, m.corrects, m.attempts as mailed, n.attempts as now,
  round(100 * (n.attempts / nullif(m.attempts, 0) - 1), 1) as percent,
  exists (
    select from warehouse.sent_digests c
    where c.digest = m.digest and c.period = m.period and c.last_day = m.last_day and c.corrects
  ) as corrected
from warehouse.sent_digests m
cross join lateral (
  select coalesce(sum(d.attempts), 0) as attempts
  from warehouse.account_days d
  where d.account = any (m.accounts) and d.day between m.first_day and m.last_day
) n
where m.last_day >= current_date - 90 and m.delivered > 0
  and abs(n.attempts - m.attempts) >= 0.05 * greatest(n.attempts, m.attempts) and n.attempts <> m.attempts
order by m.last_day desc, m.digest, m.period, m.corrects;
