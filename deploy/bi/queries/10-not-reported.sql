-- What percentage of campaigns came without a count in the last seven days? Marks accounts with provisional days.
select account, count(*) as campaign_rows,
  round(100 * (1 - count(attempts) / count(*)::numeric), 1) as attempts_not_reported,
  round(100 * (1 - count(busies) / count(*)::numeric), 1) as busies_not_reported,
  round(100 * (1 - count(connects) / count(*)::numeric), 1) as connects_not_reported,
  round(100 * (1 - count(live_answers) / count(*)::numeric), 1) as live_answers_not_reported,
  bool_or(provisional) as provisional
from warehouse.campaign_days
where day >= current_date - 7 and day < current_date
group by account
order by account;
