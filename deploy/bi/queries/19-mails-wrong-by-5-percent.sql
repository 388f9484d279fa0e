-- Which mails of the last ninety days are wrong by 5% today? In the sum of their accounts. Marks periods that are provisional now.
-- "corrected" says whether a later mail had the period again. Mails with an erased account are left out.
with mailed as (
  select p.mail_id, p.digest, p.period, p.first_day, p.last_day, bool_and(p.is_first) as is_first,
    sum(p.attempts) as attempts, array_agg(p.account_id) as account_ids
  from warehouse.mailed_periods p
  join warehouse.mails m using (mail_id)
  where m.delivered > 0 and p.last_day >= current_date - 90
  group by p.mail_id, p.digest, p.period, p.first_day, p.last_day
  having not bool_or(p.state = 'erased')
)
select m.digest, m.period, m.first_day, m.last_day, m.is_first, m.attempts as mailed, n.attempts as now,
  round(100 * (n.attempts / nullif(m.attempts, 0) - 1), 1) as percent,
  exists (
    select from mailed later
    where later.digest = m.digest and later.period = m.period and later.last_day = m.last_day
      and later.mail_id > m.mail_id
  ) as corrected,
  n.provisional
from mailed m
cross join lateral (
  select coalesce(sum(d.attempts), 0) as attempts, coalesce(bool_or(d.provisional), false) as provisional
  from warehouse.account_days d
  where d.account_id = any (m.account_ids) and d.day between m.first_day and m.last_day
) n
where abs(n.attempts - m.attempts) >= 0.05 * greatest(n.attempts, m.attempts) and n.attempts <> m.attempts
order by m.last_day desc, m.digest, m.period, m.mail_id;
