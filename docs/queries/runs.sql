-- accounts are brought in line with the settings

begin;

insert into
  warehouse.accounts as a (name, label, time_zone)
select
  name,
  label,
  time_zone
from
  unnest($1::text[], $2::text[], $3::text[]) as "s" ("name", "label", "time_zone")
on conflict (name) do update
set
  label = excluded.label,
  time_zone = excluded.time_zone,
  until = null
where
  (a.label, a.time_zone) is distinct from (excluded.label, excluded.time_zone)
  or a.until is not null;

update warehouse.accounts a
set
  client_account_id = l.account_id,
  client_id = s.client_id
from
  unnest($1::text[], $2::text[], $3::bigint[]) as "s" ("name", "list", "client_id")
  left join warehouse.accounts l on l.name = s.list
where
  a.name = s.name
  and (a.client_account_id, a.client_id) is distinct from (l.account_id, s.client_id);

select
  "account_id" as "id",
  "name",
  "since"
from
  "warehouse"."accounts"
where
  "until" is null;

commit;

-- accounts that are gone from the settings retire

update "warehouse"."accounts" as "a"
set
  "until" = coalesce(
    (
      select
        max("w"."day") as "day"
      from
        "etl"."windows" as "w"
      where
        "w"."account_id" = "a"."account_id"
        and "w"."state" <> $1
    ),
    "a"."since",
    $2
  )
where
  "a"."until" is null
  and "a"."name" <> all ($3)
returning
  "a"."name";

-- a run begins

begin;

update "etl"."runs"
set
  "scheduled_for" = $1
where
  "scheduled_for" = $2
  and (
    "finished_at" is null
    or "outcome" = $3
  );

insert into
  "etl"."runs" (
    "kind",
    "command",
    "run_date",
    "scheduled_for",
    "host",
    "process_id",
    "exclusive",
    "retries_end_at"
  )
values
  ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict ("scheduled_for") do nothing
returning
  "run_id" as "id";

commit;

-- a run waits for its next attempt

update "etl"."runs"
set
  "retry_at" = $1,
  "summary" = $2
where
  "run_id" = $3;

-- a scheduled time is looked at

select
  (
    select
      min(timestamp)::timestamptz
    from
      etl.migrations
  ) as "installedAt",
  case
    when r.run_id is null then 'none'
    else r.outcome
  end as outcome,
  r.run_date as "runDate",
  r.retries_end_at as "retryUntil",
  exists (
    select
    from
      pg_locks l
    where
      l.locktype = 'relation'
      and l.granted
      and l.mode <> 'AccessShareLock'
      and l.relation = 'etl.run_lock'::regclass
      and l.database = (
        select
          oid
        from
          pg_database
        where
          datname = current_database()
      )
  ) as "lockHeld"
from
  (
    values
      ($1::timestamptz)
  ) as s (scheduled_for)
  left join etl.runs r using (scheduled_for);

select
  run_id as run,
  run_date as "runDate",
  scheduled_for as "scheduledFor",
  attempt as attempts,
  retry_at as "retryAt",
  retries_end_at as "retryUntil",
  summary
from
  etl.runs
where
  retry_at is not null
  and scheduled_for <= $1::timestamptz
order by
  scheduled_for
limit
  1;

-- its next attempt begins

update "etl"."runs"
set
  "attempt" = "attempt" + $1,
  "attempt_started_at" = clock_timestamp(),
  "retry_at" = $2,
  "host" = $3,
  "process_id" = $4
where
  "run_id" = $5
  and "attempt" = $6
  and "finished_at" is null;

-- a run ends

update "etl"."runs"
set
  "finished_at" = clock_timestamp(),
  "retry_at" = $1,
  "outcome" = $2,
  "exit_code" = $3,
  "summary" = $4
where
  "run_id" = $5;
