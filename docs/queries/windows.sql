-- a window is fetched: loaded, restated or held

start transaction isolation level read committed;

insert into
  "etl"."windows" ("account_id", "day", "state")
select
  "account_id",
  $1::date as "day",
  $2 as "state"
from
  "warehouse"."accounts"
where
  "account_id" = $3
for key share
on conflict ("account_id", "day") do nothing;

select
  "state",
  "held_hash" as "heldHash",
  "held_run_date" as "heldRunDate",
  "content_hash" as "contentHash",
  case
    when fetched_at <= clock_timestamp()
    and fetched_at > $1::timestamptz then 'older'
    when fetched_at <= clock_timestamp()
    and fetched_at = $2::timestamptz then 'same'
    else 'newer'
  end as "response",
  case
    when fetched_at > clock_timestamp() then fetched_at
  end as "futureFetchedAt",
  exists (
    select
    from
      etl.responses f
      join etl.response_bodies b using (sha256)
    where
      f.account_id = $3
      and f.day = $4::date
      and f.sha256 = $5
      and b.referenced_at > now() - interval '36 hours'
  ) as "bodyKept"
from
  "etl"."windows"
where
  (
    "account_id" = $6
    and "day" = $7
  )
for update;

insert into
  etl.rejects as q (
    run_id,
    account_id,
    operation,
    day,
    payload,
    payload_sha256,
    reason,
    last_run_date
  )
select
  n.run_id,
  $1::integer,
  $2::text,
  $3::date,
  payload,
  payload_sha256,
  reason,
  n.run_date
from
  unnest($4::text[], $5::bytea[], $6::text[]) as "r" ("payload", "payload_sha256", "reason")
  join etl.runs n on n.run_id = $7
on conflict (account_id, operation, day, payload_sha256) do update
set
  payload = coalesce(q.payload, excluded.payload),
  reason = excluded.reason,
  last_rejected_at = excluded.last_rejected_at,
  last_run_date = greatest(q.last_run_date, excluded.last_run_date),
  run_dates = q.run_dates + (excluded.last_run_date > q.last_run_date)::integer;

insert into
  "warehouse"."campaign_days" (
    "callset_id",
    "campaign",
    "attempts",
    "busies",
    "connects",
    "live_answers",
    "extra",
    "account_id",
    "day",
    "loaded_at"
  )
select
  "callset_id",
  "campaign",
  "attempts",
  "busies",
  "connects",
  "live_answers",
  coalesce("r"."extra", '{}') as "extra",
  $1::integer as "account_id",
  $2::date as "day",
  now() as "loaded_at"
from
  unnest(
    $3::bigint[],
    $4::text[],
    $5::bigint[],
    $6::bigint[],
    $7::bigint[],
    $8::bigint[],
    $9::jsonb[]
  ) as "r" (
    "callset_id",
    "campaign",
    "attempts",
    "busies",
    "connects",
    "live_answers",
    "extra"
  )
on conflict ("account_id", "day", "callset_id") do update
set
  "campaign" = "excluded"."campaign",
  "attempts" = "excluded"."attempts",
  "busies" = "excluded"."busies",
  "connects" = "excluded"."connects",
  "live_answers" = "excluded"."live_answers",
  "extra" = "excluded"."extra",
  "loaded_at" = case
    when warehouse.campaign_days.withdrawn_at is not null
    or (
      "warehouse"."campaign_days"."attempts",
      "warehouse"."campaign_days"."busies",
      "warehouse"."campaign_days"."connects",
      "warehouse"."campaign_days"."live_answers"
    ) is distinct from (
      "excluded"."attempts",
      "excluded"."busies",
      "excluded"."connects",
      "excluded"."live_answers"
    ) then excluded.loaded_at
    else warehouse.campaign_days.loaded_at
  end,
  "withdrawn_at" = $10,
  "restated_at" = case
    when warehouse.campaign_days.callset_id = any ($11::bigint[]) then now()
    else warehouse.campaign_days.restated_at
  end;

insert into
  "warehouse"."account_days" (
    "account_id",
    "day",
    "campaigns",
    "attempts",
    "busies",
    "connects",
    "live_answers",
    "connect_rate",
    "live_answer_rate",
    "busy_rate",
    "provisional",
    "loaded_at"
  )
select
  $1::integer as "account_id",
  $2::date as "day",
  count(*) as "campaigns",
  sum("attempts") as "attempts",
  sum("busies") as "busies",
  sum("connects") as "connects",
  sum("live_answers") as "live_answers",
  sum("connects") filter (
    where
      attempts is not null
  ) / nullif(
    sum(attempts) filter (
      where
        "connects" is not null
    ),
    0
  ) as "connect_rate",
  sum("live_answers") filter (
    where
      attempts is not null
  ) / nullif(
    sum(attempts) filter (
      where
        "live_answers" is not null
    ),
    0
  ) as "live_answer_rate",
  sum("busies") filter (
    where
      attempts is not null
  ) / nullif(
    sum(attempts) filter (
      where
        "busies" is not null
    ),
    0
  ) as "busy_rate",
  $3::boolean as "provisional",
  now() as "loaded_at"
from
  "warehouse"."campaign_days"
where
  (
    "account_id" = $4
    and "day" = $5
  )
  and "withdrawn_at" is null
on conflict ("account_id", "day") do update
set
  "campaigns" = "excluded"."campaigns",
  "attempts" = "excluded"."attempts",
  "busies" = "excluded"."busies",
  "connects" = "excluded"."connects",
  "live_answers" = "excluded"."live_answers",
  "connect_rate" = "excluded"."connect_rate",
  "live_answer_rate" = "excluded"."live_answer_rate",
  "busy_rate" = "excluded"."busy_rate",
  "provisional" = "excluded"."provisional",
  "loaded_at" = "excluded"."loaded_at"
where
  (
    "warehouse"."account_days"."campaigns",
    "warehouse"."account_days"."attempts",
    "warehouse"."account_days"."busies",
    "warehouse"."account_days"."connects",
    "warehouse"."account_days"."live_answers",
    "warehouse"."account_days"."connect_rate",
    "warehouse"."account_days"."live_answer_rate",
    "warehouse"."account_days"."busy_rate",
    "warehouse"."account_days"."provisional"
  ) is distinct from (
    "excluded"."campaigns",
    "excluded"."attempts",
    "excluded"."busies",
    "excluded"."connects",
    "excluded"."live_answers",
    "excluded"."connect_rate",
    "excluded"."live_answer_rate",
    "excluded"."busy_rate",
    "excluded"."provisional"
  );

update "etl"."windows"
set
  "state" = $1,
  "fetched_at" = $2,
  "loaded_at" = now(),
  "run_id" = $3,
  "same_since_run_date" = case
    when (
      "content_hash" is distinct from $4
      or "state" <> $5
    ) then $6::date
    else "same_since_run_date"
  end,
  "catch_up_left" = $7,
  "content_hash" = $8,
  "synced_run_date" = $9,
  "failed_at" = $10,
  "failure" = $11,
  "failure_code" = $12,
  "held_hash" = $13,
  "held_reason" = $14,
  "held_run_date" = $15,
  "held_since" = $16
where
  (
    "account_id" = $17
    and "day" = $18
  );

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

select
  "callset_id" as "callsetId",
  "campaign",
  "attempts",
  "busies",
  "connects",
  "live_answers" as "liveAnswers",
  "extra",
  withdrawn_at is not null as "withdrawn"
from
  "warehouse"."campaign_days"
where
  (
    "account_id" = $1
    and "day" = $2
  );

insert into
  "warehouse"."campaign_day_restatements" (
    "account_id",
    "day",
    "callset_id",
    "restated_at",
    "reason",
    "campaign",
    "attempts",
    "busies",
    "connects",
    "live_answers",
    "extra",
    "loaded_at"
  )
select
  "d"."account_id",
  "d"."day",
  "d"."callset_id",
  now() as "restated_at",
  "r"."reason",
  "campaign",
  "attempts",
  "busies",
  "connects",
  "live_answers",
  "extra",
  "loaded_at"
from
  "warehouse"."campaign_days" as "d"
  inner join unnest($1::bigint[], $2::text[]) as "r" ("callset_id", "reason") on "r"."callset_id" = "d"."callset_id"
where
  (
    "d"."account_id" = $3
    and "d"."day" = $4
  );

-- a window could not be fetched

insert into
  "etl"."windows" (
    "account_id",
    "day",
    "state",
    "failed_at",
    "failure",
    "failure_code"
  )
select
  "account_id",
  $1::date as "day",
  $2 as "state",
  clock_timestamp() as "failed_at",
  $3 as "failure",
  $4 as "failure_code"
from
  "warehouse"."accounts"
where
  "account_id" = $5
for key share
on conflict ("account_id", "day") do update
set
  "failed_at" = "excluded"."failed_at",
  "failure" = "excluded"."failure",
  "failure_code" = "excluded"."failure_code";

-- what is due is planned

select
  "a"."name" as "account",
  "w"."day",
  "w"."state",
  "w"."synced_run_date" as "syncedRunDate",
  "w"."same_since_run_date" as "sameSinceRunDate",
  "w"."catch_up_left" as "catchUpLeft",
  w.failed_at is not null as "failed",
  w.held_hash is not null as "held"
from
  "etl"."windows" as "w"
  inner join "warehouse"."accounts" as "a" on "a"."account_id" = "w"."account_id"
where
  "w"."day" >= $1
  and "a"."until" is null;

-- a worker looks whether a window is loaded by now

select
  "run_id"
from
  "etl"."windows"
where
  (
    "account_id" = $1
    and "day" = $2
    and "state" = $3
  )
  and "run_id" is distinct from $4;

-- a held response is accepted

select
  "a"."name"
from
  "etl"."windows" as "w"
  inner join "warehouse"."accounts" as "a" on "a"."account_id" = "w"."account_id"
where
  "w"."day" = $1
  and "w"."held_hash" is not null;
