-- Which campaigns started in the last seven days, and how did they do? Without provisional days, next to their account's rate.
-- Where "is_start_known" is false, a day of the week before isn't confirmed: the campaign may be older.
select a.account, c.callset_id, c.name as campaign, c.first_day, c.is_start_known,
  case when count(d.attempts) = count(*) then sum(d.attempts) end as attempts,
  round(sum(d.connects) filter (where d.attempts is not null)
    / nullif(sum(d.attempts) filter (where d.connects is not null), 0), 4) as connect_rate,
  a.connect_rate as account_connect_rate
from warehouse.campaigns c
join warehouse.campaign_days d using (account_id, callset_id)
join (
  select account_id, account, round(sum(connect_rate_connects) / nullif(sum(connect_rate_attempts), 0), 4) as connect_rate
  from warehouse.account_days
  where day >= current_date - 7 and day < current_date and not provisional
  group by account_id, account
) a using (account_id)
where c.first_day >= current_date - 7 and d.day >= current_date - 7 and d.day < current_date and not d.provisional
group by a.account, c.callset_id, c.name, c.first_day, c.is_start_known, a.connect_rate
order by attempts desc nulls last, a.account, c.callset_id;
