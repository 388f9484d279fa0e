-- a walk begins

insert into
  "etl"."walks" (
    "run_id",
    "account_id",
    "run_date",
    "day",
    "started_at"
  )
values
  ($1, $2, $3, $4, $5)
returning
  "walk_id" as "id";

-- pages of clients are loaded

start transaction isolation level read committed;

select
  "account_id"
from
  "warehouse"."accounts"
where
  "account_id" = $1
for no key update;

select
  "client_id" as "clientId",
  "name",
  "checksum",
  "balance",
  "extra",
  "absent_since" as "absentSince"
from
  "warehouse"."clients"
where
  "account_id" = $1
  and "client_id" = any (
    (
      select
        $2::bigint[]
    )::bigint[]
  );

insert into
  "warehouse"."clients" (
    "client_id",
    "name",
    "checksum",
    "balance",
    "extra",
    "account_id",
    "first_seen_at",
    "name_since",
    "balance_since",
    "changed_at"
  )
select
  "p".*,
  $1::integer as "account_id",
  now() as "first_seen_at",
  now() as "name_since",
  case
    when p.balance is not null then $2::date
  end as "balance_since",
  now() as "changed_at"
from
  unnest(
    $3::bigint[],
    $4::text[],
    $5::text[],
    $6::numeric[],
    $7::jsonb[]
  ) as "p" (
    "client_id",
    "name",
    "checksum",
    "balance",
    "extra"
  )
on conflict ("account_id", "client_id") do update
set
  "name" = "excluded"."name",
  "checksum" = "excluded"."checksum",
  "balance" = "excluded"."balance",
  "extra" = "excluded"."extra",
  "name_since" = case
    when ("warehouse"."clients"."name") is distinct from ("excluded"."name") then greatest("warehouse"."clients"."name_since", now())
    else "warehouse"."clients"."name_since"
  end,
  "balance_since" = case
    when ("warehouse"."clients"."balance") is distinct from ("excluded"."balance") then greatest("warehouse"."clients"."balance_since", $8::date)
    else "warehouse"."clients"."balance_since"
  end,
  "changed_at" = case
    when (
      "warehouse"."clients"."name",
      "warehouse"."clients"."checksum",
      "warehouse"."clients"."balance",
      "warehouse"."clients"."extra"
    ) is distinct from (
      "excluded"."name",
      "excluded"."checksum",
      "excluded"."balance",
      "excluded"."extra"
    ) then excluded.changed_at
    else warehouse.clients.changed_at
  end,
  "absent_since" = $9
where
  (
    (
      "warehouse"."clients"."name",
      "warehouse"."clients"."checksum",
      "warehouse"."clients"."balance",
      "warehouse"."clients"."extra"
    ) is distinct from (
      "excluded"."name",
      "excluded"."checksum",
      "excluded"."balance",
      "excluded"."extra"
    )
    or "warehouse"."clients"."absent_since" is not null
  )
returning
  "client_id";

with
  stale as (
    select
      sha256
    from
      etl.response_bodies
    where
      sha256 = any ($1::bytea[])
      and referenced_at < now() - interval '1 hour'
    order by
      sha256
    for no key update
  ),
  touched as (
    update etl.response_bodies b
    set
      referenced_at = now()
    from
      stale
    where
      b.sha256 = stale.sha256
    returning
      b.sha256
  )
select
  encode(sha256, 'hex') as hex
from
  touched
union all
select
  encode(sha256, 'hex')
from
  etl.response_bodies
where
  sha256 = any ($2::bytea[])
  and referenced_at >= now() - interval '1 hour';

insert into
  etl.response_bodies (sha256, size, zstd)
select
  sha256,
  size,
  zstd
from
  unnest($1::bytea[], $2::bigint[], $3::bytea[]) as "b" ("sha256", "size", "zstd")
on conflict (sha256) do update
set
  referenced_at = excluded.referenced_at;

insert into
  etl.responses (
    run_id,
    account_id,
    operation,
    day,
    catch_up_left,
    walk,
    request,
    fetched_at,
    status,
    sha256,
    decision,
    written_ids,
    rows,
    counts,
    notice,
    disagreeing,
    unreported
  )
select
  run_id,
  account_id,
  operation,
  day,
  catch_up_left,
  walk,
  request,
  fetched_at,
  status,
  sha256,
  decision,
  written_ids::bigint[],
  rows,
  counts,
  notice,
  disagreeing::text[],
  unreported::text[]
from
  unnest(
    $1::bigint[],
    $2::integer[],
    $3::text[],
    $4::date[],
    $5::integer[],
    $6::bigint[],
    $7::jsonb[],
    $8::timestamptz[],
    $9::integer[],
    $10::bytea[],
    $11::text[],
    $12::text[],
    $13::integer[],
    $14::jsonb[],
    $15::text[],
    $16::text[],
    $17::text[]
  ) as "f" (
    "run_id",
    "account_id",
    "operation",
    "day",
    "catch_up_left",
    "walk",
    "request",
    "fetched_at",
    "status",
    "sha256",
    "decision",
    "written_ids",
    "rows",
    "counts",
    "notice",
    "disagreeing",
    "unreported"
  );

commit;

insert into
  "etl"."past_client_versions" (
    "account_id",
    "client_id",
    "name",
    "valid_from",
    "valid_to"
  )
select
  "account_id",
  "client_id",
  "name",
  "name_since",
  now() as "valid_to"
from
  "warehouse"."clients"
where
  "account_id" = $1
  and "client_id" = any ($2)
  and "name_since" < now();

insert into
  "etl"."past_client_balances" ("account_id", "client_id", "day", "balance")
select
  "c"."account_id",
  "c"."client_id",
  "c"."balance_since",
  "c"."balance"
from
  "warehouse"."clients" as "c"
  inner join unnest(
    $1::bigint[],
    $2::text[],
    $3::text[],
    $4::numeric[],
    $5::jsonb[]
  ) as "p" (
    "client_id",
    "name",
    "checksum",
    "balance",
    "extra"
  ) on "p"."client_id" = "c"."client_id"
where
  "c"."account_id" = $6
  and "c"."balance" is distinct from "p"."balance"
  and "c"."balance_since" < $7;

-- a walk is complete

start transaction isolation level read committed;

update "warehouse"."accounts"
set
  "clients_walked_at" = $1
where
  "account_id" = $2;

select
  count(*) as present,
  coalesce(
    array_agg(c.client_id::float8) filter (
      where
        s.id is null
    ),
    '{}'
  ) as missed
from
  warehouse.clients c
  left join unnest($1::bigint[]) as "s" ("id") on s.id = c.client_id
where
  c.account_id = $2
  and c.absent_since is null;

update "etl"."walks"
set
  "verdict" = $1,
  "implausible_missing" = $2,
  "decided_at" = now()
where
  "walk_id" = $3;

commit;

-- a walk is not complete

update "etl"."walks"
set
  "verdict" = $1,
  "reason" = $2,
  "error_code" = $3
where
  "walk_id" = $4;
