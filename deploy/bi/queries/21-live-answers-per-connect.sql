-- Live answers per connect, by weekday. Over the last four weeks, without provisional days.
-- Only of campaigns that report both, or the sums are of different calls.
select to_char(day, 'FMDay') as weekday, sum(connects) as connects,
  round(sum(live_answers)::numeric / nullif(sum(connects), 0), 4) as live_answers_per_connect
from warehouse.campaign_days
where day >= current_date - 28 and day < current_date and not provisional
  and connects is not null and live_answers is not null
group by to_char(day, 'FMDay'), extract(isodow from day)
order by extract(isodow from day);
