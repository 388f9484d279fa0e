-- When did yesterday's data arrive? For the last fourteen days, in the zone of the account; marks days that are provisional.
-- "days_after" is 1 for the morning after. Later corrections don't count.
select d.account, d.day, (d.first_loaded_at at time zone a.time_zone)::date - d.day as days_after,
  to_char(d.first_loaded_at at time zone a.time_zone, 'HH24:MI') as at, d.provisional
from warehouse.account_days d
join warehouse.accounts a using (account_id)
where d.day >= current_date - 14 and d.day < current_date
order by d.account, d.day;
