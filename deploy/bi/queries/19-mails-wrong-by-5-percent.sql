-- Which mails of the last ninety days are wrong by 5% today? Marks periods that are provisional now.
-- "corrected" says whether a later mail told the period again. Mails with an erased account are left out.
with told as (
  select p.mail_id, p.digest, p.period, p.first_day, p.last_day, bool_and(p.is_first) as is_first,
    sum(p.attempts) as attempts, array_agg(p.account_id) as account_ids
  from warehouse.mailed_periods p
  join warehouse.mails m using (mail_id)
  where m.delivered > 0 and p.last_day >= current_date - 90
  group by p.mail_id, p.digest, p.period, p.first_day, p.last_day
  having not bool_or(p.state = 'erased')
)
select t.digest, t.period, t.first_day, t.last_day, t.is_first, t.attempts as mailed, n.attempts as now,
  round(100 * (n.attempts / nullif(t.attempts, 0) - 1), 1) as percent,
  exists (
    select from told c
    where c.digest = t.digest and c.period = t.period and c.last_day = t.last_day and c.mail_id > t.mail_id
  ) as corrected,
  n.provisional
from told t
cross join lateral (
  select coalesce(sum(d.attempts), 0) as attempts, coalesce(bool_or(d.provisional), false) as provisional
  from warehouse.account_days d
  where d.account_id = any (t.account_ids) and d.day between t.first_day and t.last_day
) n
where abs(n.attempts - t.attempts) >= 0.05 * greatest(n.attempts, t.attempts) and n.attempts <> t.attempts
order by t.last_day desc, t.digest, t.period, t.mail_id;
