-- Which days did a digest first mail as provisional or incomplete, and in which mail was the account's day whole?
select f.digest, f.last_day as day, f.account, f.state, min(l.mail_id) as whole_in_mail
from warehouse.mailed_periods f
left join warehouse.mailed_periods l on l.digest = f.digest and l.period = f.period and l.last_day = f.last_day
  and l.account_id = f.account_id and l.mail_id > f.mail_id and l.state = 'whole'
where f.is_first and f.period = 'day' and f.state in ('provisional', 'incomplete', 'absent')
group by f.digest, f.last_day, f.account, f.state
order by f.digest, f.last_day, f.account;
