-- Where a row came from: every answer that wrote it, its run and its body. It reads etl, so it runs as the job's role.
-- A row of accounts' sums (account_days) has no id: null. A row about clients has no day: null.
with asked as (select 'north' as account, date '2026-11-19' as day, 200123::bigint as id)
select f.fetch_id, f.fetched_at, f.decided, f.decided_at, f.question, f.run_id, r.command, r.started_at,
  encode(f.sha256, 'hex') as sha256, b.size, b.zstd
from asked
join warehouse.accounts a on a.name = asked.account
join etl.fetches f on f.account_id = a.account_id and f.day is not distinct from asked.day
left join etl.runs r using (run_id)
left join etl.bodies b using (sha256)
where f.decided in ('loaded', 'provisional') and (asked.id is null or asked.id = any(f.wrote))
order by f.fetched_at;
