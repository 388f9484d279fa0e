-- Where a row came from: every response that wrote it, its run and its body. It reads etl, so it runs as the job's role.
-- A row of accounts' sums (account_days) has no id: null. A row about clients has no day: null.
with traced as (select 'north' as account, date '2026-11-19' as day, 200123::bigint as id)
select f.response_id, f.fetched_at, f.decision, f.decided_at, f.request, f.run_id, r.command, r.started_at,
  encode(f.sha256, 'hex') as sha256, b.size, b.zstd
from traced
join warehouse.accounts a on a.name = traced.account
join etl.responses f on f.account_id = a.account_id and f.day is not distinct from traced.day
left join etl.runs r using (run_id)
left join etl.response_bodies b using (sha256)
where f.decision in ('loaded', 'provisional') and (traced.id is null or traced.id = any(f.written_ids))
order by f.fetched_at;
