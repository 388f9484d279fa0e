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

with
  "differing" as (
    select
      "p".*,
      "k"."account_id" as "known_account",
      "k"."name" as "known_name",
      "k"."balance" as "known_balance",
      "k"."name_since",
      "k"."balance_since",
      "k"."absent_since"
    from
      (
        select
          "client_id",
          "name",
          "checksum",
          "balance",
          coalesce("g"."extra", '{}') as "extra"
        from
          unnest(
            $1::bigint[],
            $2::text[],
            $3::text[],
            $4::numeric[],
            $5::jsonb[]
          ) as "g" (
            "client_id",
            "name",
            "checksum",
            "balance",
            "extra"
          )
      ) as "p"
      left join lateral (
        select
          *
        from
          "warehouse"."clients" as "c"
        where
          "c"."account_id" = $6
          and "c"."client_id" = "p"."client_id"
        offset
          $7
      ) as "k" on true
    where
      (
        "k"."client_id" is null
        or "k"."absent_since" is not null
        or (
          "p"."name",
          "p"."checksum",
          "p"."balance",
          "p"."extra"
        ) is distinct from (
          "k"."name",
          "k"."checksum",
          "k"."balance",
          "k"."extra"
        )
      )
  ),
  "names" as (
    insert into
      "etl"."past_client_versions" (
        "account_id",
        "client_id",
        "name",
        "valid_from",
        "valid_to"
      )
    select
      "known_account",
      "client_id",
      "known_name",
      "name_since",
      now() as "valid_to"
    from
      "differing"
    where
      "known_name" is distinct from "name"
      and "name_since" < now()
  ),
  "balances" as (
    insert into
      "etl"."past_client_balances" ("account_id", "client_id", "day", "balance")
    select
      "known_account",
      "client_id",
      "balance_since",
      "known_balance"
    from
      "differing"
    where
      "known_balance" is distinct from "balance"
      and "balance_since" < $8
  ),
  "upserted" as (
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
      "client_id",
      "name",
      "checksum",
      "balance",
      "extra",
      $9::integer as "account_id",
      now() as "first_seen_at",
      now() as "name_since",
      case
        when balance is not null then $10::date
      end as "balance_since",
      now() as "changed_at"
    from
      "differing"
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
        when ("warehouse"."clients"."balance") is distinct from ("excluded"."balance") then greatest("warehouse"."clients"."balance_since", $11::date)
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
      "absent_since" = $12
  )
select
  count(*) filter (
    where
      known_account is null
  ) as "appeared",
  count(*) filter (
    where
      absent_since is not null
  ) as "returned",
  count(*) filter (
    where
      known_account is not null
      and absent_since is null
  ) as "changed"
from
  "differing";

select
  encode(sha256, 'hex') as "hash"
from
  "etl"."response_bodies"
where
  "sha256" = any ($1)
order by
  "sha256"
for key share;

with
  kept as (
    insert into
      etl.response_bodies (sha256, size, zstd)
    select
      sha256,
      size,
      zstd
    from
      unnest($1::bytea[], $2::bigint[], $3::bytea[]) as "b" ("sha256", "size", "zstd")
    order by
      sha256
    on conflict (sha256) do nothing
  ),
  referenced as (
    update etl.response_bodies k
    set
      referenced_at = now()
    from
      (
        select
          o.sha256
        from
          etl.response_bodies o
        where
          o.referenced_at < now() - interval '1 hour'
          and o.sha256 in (
            select
              sha256
            from
              unnest($4::bytea[]) as "h" ("sha256")
          )
        order by
          o.sha256
        for no key update
      ) o
    where
      k.sha256 = o.sha256
  )
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
  rows,
  counts,
  notice,
  disagreeing::text[],
  unreported::text[]
from
  unnest(
    $5::bigint[],
    $6::integer[],
    $7::text[],
    $8::date[],
    $9::integer[],
    $10::bigint[],
    $11::jsonb[],
    $12::timestamptz[],
    $13::integer[],
    $14::bytea[],
    $15::text[],
    $16::integer[],
    $17::jsonb[],
    $18::text[],
    $19::text[],
    $20::text[]
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
    "rows",
    "counts",
    "notice",
    "disagreeing",
    "unreported"
  );

commit;

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
