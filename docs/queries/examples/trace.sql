-- Where a row came from: every response that it was loaded from, its run and its body. It reads etl, so it runs as the
-- job's role. With a day: the responses that were loaded for that account and day. With the id of a client instead: those
-- whose load changed the client, its name or its balance; a load is several pages, and the client is on one of them.
with traced as (select 'north' as account, date '2026-11-19' as day, null::bigint as client_id),
written as (
  select c.account_id, unnest(array[c.first_seen_at, c.renamed_at, c.updated_at]) as at
  from traced join warehouse.accounts a on a.name = traced.account
  join warehouse.clients c on c.account_id = a.account_id and c.client_id = traced.client_id
  union
  select v.account_id, v.valid_from
  from traced join warehouse.accounts a on a.name = traced.account
  join warehouse.client_versions v on v.account_id = a.account_id and v.client_id = traced.client_id
)
select f.response_id, f.fetched_at, f.decision, f.decided_at, f.request, f.run_id, r.command, r.started_at,
  encode(f.sha256, 'hex') as sha256, b.size, b.zstd
from traced
join warehouse.accounts a on a.name = traced.account
join etl.responses f on f.account_id = a.account_id
left join etl.runs r using (run_id)
left join etl.response_bodies b using (sha256)
where f.decision in ('loaded', 'provisional')
  and case when traced.client_id is null then f.day = traced.day
    else f.day is null and f.decided_at in (select w.at from written w) end
order by f.fetched_at;
