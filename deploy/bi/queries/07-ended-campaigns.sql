-- Which campaigns stopped in the week before last? One with attempts since then, on a provisional day too, is left out.
-- "confirmed_days_since" is 7, or a later call may be on a day that isn't loaded: see 05.
select a.name as account, c.callset_id, c.name as campaign, c.last_day, s.confirmed_days_since
from warehouse.campaigns c
join warehouse.accounts a using (account_id)
cross join lateral (
  select count(*) as confirmed_days_since
  from warehouse.account_days d
  where d.account_id = c.account_id and d.day >= current_date - 7 and d.day < current_date and not d.provisional
) s
where c.last_day >= current_date - 14 and c.last_day < current_date - 7 and not exists (
  select from warehouse.campaign_days d
  where d.account_id = c.account_id and d.callset_id = c.callset_id and d.day > c.last_day and d.day >= current_date - 14
    and d.attempts > 0
)
order by c.last_day desc, account, c.callset_id;
