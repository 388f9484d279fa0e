-- A client's month, campaign by campaign. The accounts file says which account is which client.
with parameters as (select 'Blue Harbor' as client, date '2026-11-01' as month)
select p.account, p.callset_id, max(p.campaign) as campaign, count(*) as days,
  sum(p.attempts) as attempts, sum(p.connects) as connects, sum(p.live_answers) as live_answers,
  round(sum(p.connects) / nullif(sum(p.attempts), 0), 4) as connect_rate
from parameters
join warehouse.campaign_days p on p.client = parameters.client
  and p.day >= parameters.month and p.day < parameters.month + interval '1 month'
group by p.account, p.callset_id
order by attempts desc nulls last, p.account, p.callset_id;
