-- accounts are brought in line with the settings

start transaction isolation level read committed;

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

insert into
  "etl"."runs" (
    "kind",
    "command",
    "run_date",
    "scheduled_for",
    "number",
    "retry_until",
    "host",
    "process_id",
    "exclusive"
  )
values
  ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict ("scheduled_for", "number") do nothing
returning
  "run_id" as "id";

-- a scheduled time is looked at

select
  (
    select
      min(timestamp)::timestamptz
    from
      etl.migrations
  ) as "installedAt",
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
  ) as "lockHeld";

select
  "number",
  "run_date" as "runDate",
  "retry_until" as "retryUntil",
  "retry_at" as "retryAt",
  "outcome"
from
  "etl"."runs"
where
  "scheduled_for" = $1
order by
  "number" desc
limit
  $2;

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
