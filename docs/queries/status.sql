-- status: accounts

select
  "a"."name" as "account",
  "a"."label",
  "a"."time_zone" as "timeZone",
  "a"."since",
  nullif(
    coalesce(
      min(c.day) filter (
        where
          c.state <> 'loaded'
      ) - 1,
      max(c.day) filter (
        where
          c.day >= a.since
      )
    ),
    a.since - 1
  ) as "completeThrough",
  coalesce(
    array_agg(
      c.day::text
      order by
        c.day
    ) filter (
      where
        "c"."state" <> $1
    ),
    '{}'
  ) as "gaps",
  coalesce(
    array_agg(
      c.day::text
      order by
        c.day
    ) filter (
      where
        "c"."held"
    ),
    '{}'
  ) as "held",
  coalesce(
    array_agg(
      c.day::text
      order by
        c.day
    ) filter (
      where
        "c"."suspicious"
    ),
    '{}'
  ) as "suspicious",
  count(*) filter (
    where
      "c"."settling" = $2
  ) as "settling",
  (
    select
      count(*) as "records"
    from
      "etl"."rejects" as "r"
    where
      "r"."account_id" = "a"."account_id"
      and "r"."last_rejected_at" > now() - '7 days'::interval
  ) as "quarantined"
from
  "warehouse"."accounts" as "a"
  left join "warehouse"."coverage" as "c" on "c"."account_id" = "a"."account_id"
where
  "a"."until" is null
group by
  "a"."account_id"
order by
  "a"."name";

select
  a.name as account,
  l.verdict,
  l.run_date as "runDate",
  l.reason,
  l.error_code as "errorCode",
  c.started_at as "completeAt",
  c.run_date as "completeRunDate",
  i.since as "incompleteSince",
  coalesce(c.implausible_missing, 0) as "implausibleMissing",
  u.since as "implausibleSince"
from
  warehouse.accounts a
  left join lateral (
    select
      w.verdict,
      w.run_date,
      w.reason,
      w.error_code
    from
      etl.walks w
    where
      w.account_id = a.account_id
      and w.verdict is not null
    order by
      w.walk_id desc
    limit
      1
  ) l on true
  left join lateral (
    select
      w.walk_id,
      w.started_at,
      w.run_date,
      w.implausible_missing
    from
      etl.walks w
    where
      w.account_id = a.account_id
      and w.verdict = 'complete'
    order by
      w.walk_id desc
    limit
      1
  ) c on true
  left join lateral (
    select
      min(w.run_date) as since
    from
      etl.walks w
    where
      w.account_id = a.account_id
      and w.verdict in ('changed', 'incomplete')
      and w.walk_id > coalesce(c.walk_id, 0)
  ) i on true
  left join lateral (
    select
      min(w.run_date) as since
    from
      etl.walks w
    where
      c.implausible_missing > 0
      and w.account_id = a.account_id
      and w.implausible_missing > 0
      and w.walk_id > coalesce(
        (
          select
            max(b.walk_id)
          from
            etl.walks b
          where
            b.account_id = a.account_id
            and b.verdict = 'complete'
            and b.implausible_missing = 0
        ),
        0
      )
  ) u on true
where
  a.until is null;

-- status: last runs

select
  "run_id" as "run",
  "command",
  "started_at" as "startedAt",
  "finished_at" as "finishedAt",
  "retry_at" as "retryAt",
  "outcome",
  "exit_code" as "exitCode",
  r.finished_at is null
  and (
    not r.exclusive
    or exists (
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
    )
  )
  and not exists (
    select
    from
      etl.runs n
    where
      n.exclusive = r.exclusive
      and n.started_at > r.started_at
  ) as "atWork"
from
  "etl"."runs" as "r"
order by
  "run_id" desc
limit
  $1;

-- status: mail

select
  "g"."name" as "digest",
  "g"."every",
  "g"."day",
  "d"."recipient",
  "d"."state",
  "d"."reply"
from
  "etl"."deliveries" as "d"
  inner join "etl"."digests" as "g" on "g"."digest_id" = "d"."digest_id"
where
  "d"."state" not in ($1, $2)
  and "d"."skipped_at" is null
  and (
    "d"."state" not in ($3, $4)
    or (
      "d"."changed_at" > now() - '31 days'::interval
      and not (
        g.kind = 'first'
        and exists (
          select
          from
            etl.deliveries later
            join etl.digests c using (digest_id)
          where
            c.kind = 'corrected'
            and later.skipped_at is null
            and (c.name, c.every, c.day, later.recipient) = (g.name, g.every, g.day, d.recipient)
        )
      )
    )
  )
order by
  "g"."day",
  "d"."delivery_id";

-- active alerts

select
  "g"."name",
  "g"."day",
  "g"."reported"
from
  "etl"."digests" as "g"
where
  "g"."kind" = $1
  and "g"."state" = $2
  and "g"."incomplete" = $3
  and "g"."every" = $4
  and "g"."day" >= $5
  and "g"."reported" is not null
  and not exists (
    select
    from
      "etl"."digests" as "c"
    where
      "c"."name" = "g"."name"
      and "c"."every" = "g"."every"
      and "c"."day" = "g"."day"
      and "c"."kind" = $6
  )
  and exists (
    select
    from
      "etl"."deliveries" as "d"
    where
      "d"."digest_id" = "g"."digest_id"
      and "d"."skipped_at" is null
  )
order by
  "g"."day",
  "g"."name";

select
  a.name as account,
  l.verdict,
  l.run_date as "runDate",
  l.reason,
  l.error_code as "errorCode",
  c.started_at as "completeAt",
  c.run_date as "completeRunDate",
  i.since as "incompleteSince",
  coalesce(c.implausible_missing, 0) as "implausibleMissing",
  u.since as "implausibleSince"
from
  warehouse.accounts a
  left join lateral (
    select
      w.verdict,
      w.run_date,
      w.reason,
      w.error_code
    from
      etl.walks w
    where
      w.account_id = a.account_id
      and w.verdict is not null
    order by
      w.walk_id desc
    limit
      1
  ) l on true
  left join lateral (
    select
      w.walk_id,
      w.started_at,
      w.run_date,
      w.implausible_missing
    from
      etl.walks w
    where
      w.account_id = a.account_id
      and w.verdict = 'complete'
    order by
      w.walk_id desc
    limit
      1
  ) c on true
  left join lateral (
    select
      min(w.run_date) as since
    from
      etl.walks w
    where
      w.account_id = a.account_id
      and w.verdict in ('changed', 'incomplete')
      and w.walk_id > coalesce(c.walk_id, 0)
  ) i on true
  left join lateral (
    select
      min(w.run_date) as since
    from
      etl.walks w
    where
      c.implausible_missing > 0
      and w.account_id = a.account_id
      and w.implausible_missing > 0
      and w.walk_id > coalesce(
        (
          select
            max(b.walk_id)
          from
            etl.walks b
          where
            b.account_id = a.account_id
            and b.verdict = 'complete'
            and b.implausible_missing = 0
        ),
        0
      )
  ) u on true
where
  a.until is null;

select
  to_regclass('etl_queue.job') is not null as found;

select
  "a"."name",
  "a"."label",
  "a"."time_zone" as "timeZone",
  "a"."since",
  (
    select
      coalesce(json_agg(agg), '[]')
    from
      (
        select
          "c"."day",
          "c"."state",
          "c"."held",
          "c"."failure" as "detail",
          w.failure_code as "code"
        from
          "warehouse"."coverage" as "c"
          left join "etl"."windows" as "w" on "w"."account_id" = "c"."account_id"
          and "w"."day" = "c"."day"
        where
          "c"."account_id" = "a"."account_id"
          and (
            "c"."state" <> $1
            or "c"."failure" is not null
            or "c"."held"
          )
        order by
          "c"."day"
      ) as agg
  ) as "days",
  (
    select
      coalesce(json_agg(agg), '[]')
    from
      (
        select
          "s"."day",
          "s"."reason",
          "s"."detail"
        from
          "etl"."suspicious_windows" as "s"
          inner join "etl"."windows" as "w" on "w"."account_id" = "s"."account_id"
          and "w"."day" = "s"."day"
        where
          "s"."account_id" = "a"."account_id"
          and "w"."synced_run_date" = "w"."same_since_run_date"
          and coalesce(w.catch_up_left > 0, true)
        order by
          "s"."day",
          "s"."reason"
      ) as agg
  ) as "suspicious",
  (
    select
      coalesce(json_agg(agg), '[]')
    from
      (
        select
          "r"."day",
          "r"."reason",
          count(*) as "records",
          coalesce(
            sum(
              substring(
                r.payload
                from
                  '"attempts"\s*:\s*"?(\d{1,12})'
              )::bigint
            ),
            0
          ) as "attempts",
          left(min(r.payload), 160) as "example"
        from
          "etl"."rejects" as "r"
        where
          "r"."account_id" = "a"."account_id"
          and r.last_rejected_at > coalesce(
            case
              when r.day is null then (
                select
                  max(w.started_at)
                from
                  etl.walks w
                where
                  w.account_id = a.account_id
                  and w.verdict = 'complete'
              )
              else (
                select
                  w.fetched_at
                from
                  etl.windows w
                where
                  w.account_id = a.account_id
                  and w.day = r.day
              )
            end,
            '-infinity'
          )
        group by
          "r"."day",
          "r"."reason"
        order by
          "r"."day",
          "r"."reason"
      ) as agg
  ) as "quarantined"
from
  "warehouse"."accounts" as "a"
where
  "a"."until" is null
order by
  "a"."name";

select
  "r"."run_id"
from
  "etl"."runs" as "r"
where
  "r"."kind" = $1
  and "r"."finished_at" is null
  and (
    "r"."started_at" > now() - '10 minutes'::interval
    or exists (
      select
        "w"."day"
      from
        "etl"."windows" as "w"
      where
        "w"."run_id" = "r"."run_id"
        and "w"."loaded_at" > now() - '10 minutes'::interval
    )
  )
limit
  $2;

select
  "g"."name" as "digest",
  "g"."every",
  "g"."day",
  "d"."recipient",
  "d"."state",
  "d"."reply"
from
  "etl"."deliveries" as "d"
  inner join "etl"."digests" as "g" on "g"."digest_id" = "d"."digest_id"
where
  "d"."state" not in ($1, $2)
  and "d"."skipped_at" is null
  and (
    "d"."state" not in ($3, $4)
    or (
      "d"."changed_at" > now() - '31 days'::interval
      and not (
        g.kind = 'first'
        and exists (
          select
          from
            etl.deliveries later
            join etl.digests c using (digest_id)
          where
            c.kind = 'corrected'
            and later.skipped_at is null
            and (c.name, c.every, c.day, later.recipient) = (g.name, g.every, g.day, d.recipient)
        )
      )
    )
  )
order by
  "g"."day",
  "d"."delivery_id";

select
  "r"."run_id" as "run",
  "r"."started_at" as "startedAt",
  "r"."finished_at" as "finishedAt",
  "r"."retry_at" as "retryAt",
  "r"."outcome",
  "r"."summary",
  r.finished_at is null
  and (
    not r.exclusive
    or exists (
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
    )
  )
  and not exists (
    select
    from
      etl.runs n
    where
      n.exclusive = r.exclusive
      and n.started_at > r.started_at
  ) as "atWork"
from
  "etl"."runs" as "r"
where
  "r"."kind" = $1
order by
  "r"."run_id" desc
limit
  $2;

select
  "alert" as "key",
  "since_run_date" as "since",
  "dismissed"
from
  "etl"."alerts";

-- the page

select
  "a"."name" as "account",
  "a"."label",
  "a"."time_zone" as "timeZone",
  "a"."since",
  nullif(
    coalesce(
      min(c.day) filter (
        where
          c.state <> 'loaded'
      ) - 1,
      max(c.day) filter (
        where
          c.day >= a.since
      )
    ),
    a.since - 1
  ) as "completeThrough",
  coalesce(
    array_agg(
      c.day::text
      order by
        c.day
    ) filter (
      where
        "c"."state" <> $1
    ),
    '{}'
  ) as "gaps",
  coalesce(
    array_agg(
      c.day::text
      order by
        c.day
    ) filter (
      where
        "c"."held"
    ),
    '{}'
  ) as "held",
  coalesce(
    array_agg(
      c.day::text
      order by
        c.day
    ) filter (
      where
        "c"."suspicious"
    ),
    '{}'
  ) as "suspicious",
  count(*) filter (
    where
      "c"."settling" = $2
  ) as "settling",
  (
    select
      count(*) as "records"
    from
      "etl"."rejects" as "r"
    where
      "r"."account_id" = "a"."account_id"
      and "r"."last_rejected_at" > now() - '7 days'::interval
  ) as "quarantined"
from
  "warehouse"."accounts" as "a"
  left join "warehouse"."coverage" as "c" on "c"."account_id" = "a"."account_id"
where
  "a"."until" is null
group by
  "a"."account_id"
order by
  "a"."name";

select
  a.name as account,
  l.verdict,
  l.run_date as "runDate",
  l.reason,
  l.error_code as "errorCode",
  c.started_at as "completeAt",
  c.run_date as "completeRunDate",
  i.since as "incompleteSince",
  coalesce(c.implausible_missing, 0) as "implausibleMissing",
  u.since as "implausibleSince"
from
  warehouse.accounts a
  left join lateral (
    select
      w.verdict,
      w.run_date,
      w.reason,
      w.error_code
    from
      etl.walks w
    where
      w.account_id = a.account_id
      and w.verdict is not null
    order by
      w.walk_id desc
    limit
      1
  ) l on true
  left join lateral (
    select
      w.walk_id,
      w.started_at,
      w.run_date,
      w.implausible_missing
    from
      etl.walks w
    where
      w.account_id = a.account_id
      and w.verdict = 'complete'
    order by
      w.walk_id desc
    limit
      1
  ) c on true
  left join lateral (
    select
      min(w.run_date) as since
    from
      etl.walks w
    where
      w.account_id = a.account_id
      and w.verdict in ('changed', 'incomplete')
      and w.walk_id > coalesce(c.walk_id, 0)
  ) i on true
  left join lateral (
    select
      min(w.run_date) as since
    from
      etl.walks w
    where
      c.implausible_missing > 0
      and w.account_id = a.account_id
      and w.implausible_missing > 0
      and w.walk_id > coalesce(
        (
          select
            max(b.walk_id)
          from
            etl.walks b
          where
            b.account_id = a.account_id
            and b.verdict = 'complete'
            and b.implausible_missing = 0
        ),
        0
      )
  ) u on true
where
  a.until is null;

select
  "g"."name",
  "g"."day",
  "g"."reported"
from
  "etl"."digests" as "g"
where
  "g"."kind" = $1
  and "g"."state" = $2
  and "g"."incomplete" = $3
  and "g"."every" = $4
  and "g"."day" >= $5
  and "g"."reported" is not null
  and not exists (
    select
    from
      "etl"."digests" as "c"
    where
      "c"."name" = "g"."name"
      and "c"."every" = "g"."every"
      and "c"."day" = "g"."day"
      and "c"."kind" = $6
  )
  and exists (
    select
    from
      "etl"."deliveries" as "d"
    where
      "d"."digest_id" = "g"."digest_id"
      and "d"."skipped_at" is null
  )
order by
  "g"."day",
  "g"."name";

select
  to_regclass('etl_queue.job') is not null as found;

select
  "a"."name",
  "a"."label",
  "a"."time_zone" as "timeZone",
  "a"."since",
  (
    select
      coalesce(json_agg(agg), '[]')
    from
      (
        select
          "c"."day",
          "c"."state",
          "c"."held",
          "c"."failure" as "detail",
          w.failure_code as "code"
        from
          "warehouse"."coverage" as "c"
          left join "etl"."windows" as "w" on "w"."account_id" = "c"."account_id"
          and "w"."day" = "c"."day"
        where
          "c"."account_id" = "a"."account_id"
          and (
            "c"."state" <> $1
            or "c"."failure" is not null
            or "c"."held"
          )
        order by
          "c"."day"
      ) as agg
  ) as "days",
  (
    select
      coalesce(json_agg(agg), '[]')
    from
      (
        select
          "s"."day",
          "s"."reason",
          "s"."detail"
        from
          "etl"."suspicious_windows" as "s"
          inner join "etl"."windows" as "w" on "w"."account_id" = "s"."account_id"
          and "w"."day" = "s"."day"
        where
          "s"."account_id" = "a"."account_id"
          and "w"."synced_run_date" = "w"."same_since_run_date"
          and coalesce(w.catch_up_left > 0, true)
        order by
          "s"."day",
          "s"."reason"
      ) as agg
  ) as "suspicious",
  (
    select
      coalesce(json_agg(agg), '[]')
    from
      (
        select
          "r"."day",
          "r"."reason",
          count(*) as "records",
          coalesce(
            sum(
              substring(
                r.payload
                from
                  '"attempts"\s*:\s*"?(\d{1,12})'
              )::bigint
            ),
            0
          ) as "attempts",
          left(min(r.payload), 160) as "example"
        from
          "etl"."rejects" as "r"
        where
          "r"."account_id" = "a"."account_id"
          and r.last_rejected_at > coalesce(
            case
              when r.day is null then (
                select
                  max(w.started_at)
                from
                  etl.walks w
                where
                  w.account_id = a.account_id
                  and w.verdict = 'complete'
              )
              else (
                select
                  w.fetched_at
                from
                  etl.windows w
                where
                  w.account_id = a.account_id
                  and w.day = r.day
              )
            end,
            '-infinity'
          )
        group by
          "r"."day",
          "r"."reason"
        order by
          "r"."day",
          "r"."reason"
      ) as agg
  ) as "quarantined"
from
  "warehouse"."accounts" as "a"
where
  "a"."until" is null
order by
  "a"."name";

select
  "r"."run_id"
from
  "etl"."runs" as "r"
where
  "r"."kind" = $1
  and "r"."finished_at" is null
  and (
    "r"."started_at" > now() - '10 minutes'::interval
    or exists (
      select
        "w"."day"
      from
        "etl"."windows" as "w"
      where
        "w"."run_id" = "r"."run_id"
        and "w"."loaded_at" > now() - '10 minutes'::interval
    )
  )
limit
  $2;

select
  "g"."name" as "digest",
  "g"."every",
  "g"."day",
  "d"."recipient",
  "d"."state",
  "d"."reply"
from
  "etl"."deliveries" as "d"
  inner join "etl"."digests" as "g" on "g"."digest_id" = "d"."digest_id"
where
  "d"."state" not in ($1, $2)
  and "d"."skipped_at" is null
  and (
    "d"."state" not in ($3, $4)
    or (
      "d"."changed_at" > now() - '31 days'::interval
      and not (
        g.kind = 'first'
        and exists (
          select
          from
            etl.deliveries later
            join etl.digests c using (digest_id)
          where
            c.kind = 'corrected'
            and later.skipped_at is null
            and (c.name, c.every, c.day, later.recipient) = (g.name, g.every, g.day, d.recipient)
        )
      )
    )
  )
order by
  "g"."day",
  "d"."delivery_id";

select
  "r"."run_id" as "run",
  "r"."started_at" as "startedAt",
  "r"."finished_at" as "finishedAt",
  "r"."retry_at" as "retryAt",
  "r"."outcome",
  "r"."summary",
  r.finished_at is null
  and (
    not r.exclusive
    or exists (
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
    )
  )
  and not exists (
    select
    from
      etl.runs n
    where
      n.exclusive = r.exclusive
      and n.started_at > r.started_at
  ) as "atWork"
from
  "etl"."runs" as "r"
where
  "r"."kind" = $1
order by
  "r"."run_id" desc
limit
  $2;

select
  "alert" as "key",
  "since_run_date" as "since",
  "dismissed"
from
  "etl"."alerts";

select
  "c"."account_id" as "accountId",
  "c"."account",
  "a"."label",
  "c"."day",
  "c"."state",
  "c"."held",
  "c"."suspicious",
  "c"."settling",
  "c"."restated",
  "c"."loaded_at" as "loadedAt",
  "c"."failure",
  "d"."campaigns",
  "d"."attempts",
  "d"."connects",
  "d"."live_answers" as "liveAnswers",
  "d"."busies"
from
  "warehouse"."coverage" as "c"
  inner join "warehouse"."accounts" as "a" on "a"."account_id" = "c"."account_id"
  left join "warehouse"."account_days" as "d" on "d"."account_id" = "c"."account_id"
  and "d"."day" = "c"."day"
where
  "a"."until" is null
  and "c"."day" >= $1
order by
  "c"."account",
  "c"."day";

select
  "run_id" as "run",
  "command",
  "started_at" as "startedAt",
  "finished_at" as "finishedAt",
  "retry_at" as "retryAt",
  "outcome",
  "exit_code" as "exitCode",
  r.finished_at is null
  and (
    not r.exclusive
    or exists (
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
    )
  )
  and not exists (
    select
    from
      etl.runs n
    where
      n.exclusive = r.exclusive
      and n.started_at > r.started_at
  ) as "atWork",
  "kind",
  "summary",
  "exclusive"
from
  "etl"."runs" as "r"
where
  "kind" = $1
order by
  "run_id" desc
limit
  $2;

select
  "run_id" as "run",
  "command",
  "started_at" as "startedAt",
  "finished_at" as "finishedAt",
  "retry_at" as "retryAt",
  "outcome",
  "exit_code" as "exitCode",
  r.finished_at is null
  and (
    not r.exclusive
    or exists (
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
    )
  )
  and not exists (
    select
    from
      etl.runs n
    where
      n.exclusive = r.exclusive
      and n.started_at > r.started_at
  ) as "atWork",
  "kind",
  "summary",
  "exclusive"
from
  "etl"."runs" as "r"
where
  "kind" <> $1
order by
  "run_id" desc
limit
  $2;

with
  newest as (
    select distinct
      on (name) digest_id,
      every,
      day
    from
      etl.digests
    where
      state = 'built'
      and day = (
        select
          max(day)
        from
          etl.digests
        where
          state = 'built'
      )
    order by
      name,
      digest_id desc
  )
select
  case
    when count(distinct g.every) = 1 then min(g.every)
    else 'day'
  end as every,
  g.day,
  count(distinct g.digest_id) as digests,
  count(d.delivery_id) as recipients,
  count(*) filter (
    where
      d.state in ('sent', 'written')
  ) as sent,
  count(*) filter (
    where
      d.state = 'written'
  ) as written,
  max(d.changed_at) filter (
    where
      d.state in ('sent', 'written')
  ) as "sentAt"
from
  newest g
  left join etl.deliveries d using (digest_id)
group by
  g.day;

select
  "a"."name" as "account",
  "a"."label",
  "r"."operation",
  "r"."day",
  "r"."reason",
  count(*) as "records",
  min("r"."first_rejected_at") as "firstAt",
  max("r"."last_rejected_at") as "latestAt",
  max("r"."run_dates") as "runDates",
  left(min(r.payload), 300) as "example"
from
  "etl"."rejects" as "r"
  inner join "warehouse"."accounts" as "a" on "a"."account_id" = "r"."account_id"
where
  "r"."last_rejected_at" > now() - '7 days'::interval
group by
  "a"."name",
  "a"."label",
  "r"."operation",
  "r"."day",
  "r"."reason"
order by
  "latestAt" desc,
  "a"."name"
limit
  $1;

-- the page of a day

select
  "c"."account_id" as "accountId",
  "c"."account",
  "a"."label",
  "c"."day",
  "c"."state",
  "c"."held",
  "c"."suspicious",
  "c"."settling",
  "c"."restated",
  "c"."loaded_at" as "loadedAt",
  "c"."failure",
  "d"."campaigns",
  "d"."attempts",
  "d"."connects",
  "d"."live_answers" as "liveAnswers",
  "d"."busies"
from
  "warehouse"."coverage" as "c"
  inner join "warehouse"."accounts" as "a" on "a"."account_id" = "c"."account_id"
  left join "warehouse"."account_days" as "d" on "d"."account_id" = "c"."account_id"
  and "d"."day" = "c"."day"
where
  "c"."account" = $1
  and "c"."day" = $2;

select
  "g"."name",
  "g"."day",
  "g"."reported"
from
  "etl"."digests" as "g"
where
  "g"."kind" = $1
  and "g"."state" = $2
  and "g"."incomplete" = $3
  and "g"."every" = $4
  and "g"."day" >= $5
  and "g"."reported" is not null
  and not exists (
    select
    from
      "etl"."digests" as "c"
    where
      "c"."name" = "g"."name"
      and "c"."every" = "g"."every"
      and "c"."day" = "g"."day"
      and "c"."kind" = $6
  )
  and exists (
    select
    from
      "etl"."deliveries" as "d"
    where
      "d"."digest_id" = "g"."digest_id"
      and "d"."skipped_at" is null
  )
order by
  "g"."day",
  "g"."name";

select
  a.name as account,
  l.verdict,
  l.run_date as "runDate",
  l.reason,
  l.error_code as "errorCode",
  c.started_at as "completeAt",
  c.run_date as "completeRunDate",
  i.since as "incompleteSince",
  coalesce(c.implausible_missing, 0) as "implausibleMissing",
  u.since as "implausibleSince"
from
  warehouse.accounts a
  left join lateral (
    select
      w.verdict,
      w.run_date,
      w.reason,
      w.error_code
    from
      etl.walks w
    where
      w.account_id = a.account_id
      and w.verdict is not null
    order by
      w.walk_id desc
    limit
      1
  ) l on true
  left join lateral (
    select
      w.walk_id,
      w.started_at,
      w.run_date,
      w.implausible_missing
    from
      etl.walks w
    where
      w.account_id = a.account_id
      and w.verdict = 'complete'
    order by
      w.walk_id desc
    limit
      1
  ) c on true
  left join lateral (
    select
      min(w.run_date) as since
    from
      etl.walks w
    where
      w.account_id = a.account_id
      and w.verdict in ('changed', 'incomplete')
      and w.walk_id > coalesce(c.walk_id, 0)
  ) i on true
  left join lateral (
    select
      min(w.run_date) as since
    from
      etl.walks w
    where
      c.implausible_missing > 0
      and w.account_id = a.account_id
      and w.implausible_missing > 0
      and w.walk_id > coalesce(
        (
          select
            max(b.walk_id)
          from
            etl.walks b
          where
            b.account_id = a.account_id
            and b.verdict = 'complete'
            and b.implausible_missing = 0
        ),
        0
      )
  ) u on true
where
  a.until is null;

select
  to_regclass('etl_queue.job') is not null as found;

select
  "a"."name",
  "a"."label",
  "a"."time_zone" as "timeZone",
  "a"."since",
  (
    select
      coalesce(json_agg(agg), '[]')
    from
      (
        select
          "c"."day",
          "c"."state",
          "c"."held",
          "c"."failure" as "detail",
          w.failure_code as "code"
        from
          "warehouse"."coverage" as "c"
          left join "etl"."windows" as "w" on "w"."account_id" = "c"."account_id"
          and "w"."day" = "c"."day"
        where
          "c"."account_id" = "a"."account_id"
          and (
            "c"."state" <> $1
            or "c"."failure" is not null
            or "c"."held"
          )
        order by
          "c"."day"
      ) as agg
  ) as "days",
  (
    select
      coalesce(json_agg(agg), '[]')
    from
      (
        select
          "s"."day",
          "s"."reason",
          "s"."detail"
        from
          "etl"."suspicious_windows" as "s"
          inner join "etl"."windows" as "w" on "w"."account_id" = "s"."account_id"
          and "w"."day" = "s"."day"
        where
          "s"."account_id" = "a"."account_id"
          and "w"."synced_run_date" = "w"."same_since_run_date"
          and coalesce(w.catch_up_left > 0, true)
        order by
          "s"."day",
          "s"."reason"
      ) as agg
  ) as "suspicious",
  (
    select
      coalesce(json_agg(agg), '[]')
    from
      (
        select
          "r"."day",
          "r"."reason",
          count(*) as "records",
          coalesce(
            sum(
              substring(
                r.payload
                from
                  '"attempts"\s*:\s*"?(\d{1,12})'
              )::bigint
            ),
            0
          ) as "attempts",
          left(min(r.payload), 160) as "example"
        from
          "etl"."rejects" as "r"
        where
          "r"."account_id" = "a"."account_id"
          and r.last_rejected_at > coalesce(
            case
              when r.day is null then (
                select
                  max(w.started_at)
                from
                  etl.walks w
                where
                  w.account_id = a.account_id
                  and w.verdict = 'complete'
              )
              else (
                select
                  w.fetched_at
                from
                  etl.windows w
                where
                  w.account_id = a.account_id
                  and w.day = r.day
              )
            end,
            '-infinity'
          )
        group by
          "r"."day",
          "r"."reason"
        order by
          "r"."day",
          "r"."reason"
      ) as agg
  ) as "quarantined"
from
  "warehouse"."accounts" as "a"
where
  "a"."until" is null
order by
  "a"."name";

select
  "r"."run_id"
from
  "etl"."runs" as "r"
where
  "r"."kind" = $1
  and "r"."finished_at" is null
  and (
    "r"."started_at" > now() - '10 minutes'::interval
    or exists (
      select
        "w"."day"
      from
        "etl"."windows" as "w"
      where
        "w"."run_id" = "r"."run_id"
        and "w"."loaded_at" > now() - '10 minutes'::interval
    )
  )
limit
  $2;

select
  "g"."name" as "digest",
  "g"."every",
  "g"."day",
  "d"."recipient",
  "d"."state",
  "d"."reply"
from
  "etl"."deliveries" as "d"
  inner join "etl"."digests" as "g" on "g"."digest_id" = "d"."digest_id"
where
  "d"."state" not in ($1, $2)
  and "d"."skipped_at" is null
  and (
    "d"."state" not in ($3, $4)
    or (
      "d"."changed_at" > now() - '31 days'::interval
      and not (
        g.kind = 'first'
        and exists (
          select
          from
            etl.deliveries later
            join etl.digests c using (digest_id)
          where
            c.kind = 'corrected'
            and later.skipped_at is null
            and (c.name, c.every, c.day, later.recipient) = (g.name, g.every, g.day, d.recipient)
        )
      )
    )
  )
order by
  "g"."day",
  "d"."delivery_id";

select
  "r"."run_id" as "run",
  "r"."started_at" as "startedAt",
  "r"."finished_at" as "finishedAt",
  "r"."retry_at" as "retryAt",
  "r"."outcome",
  "r"."summary",
  r.finished_at is null
  and (
    not r.exclusive
    or exists (
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
    )
  )
  and not exists (
    select
    from
      etl.runs n
    where
      n.exclusive = r.exclusive
      and n.started_at > r.started_at
  ) as "atWork"
from
  "etl"."runs" as "r"
where
  "r"."kind" = $1
order by
  "r"."run_id" desc
limit
  $2;

select
  "alert" as "key",
  "since_run_date" as "since",
  "dismissed"
from
  "etl"."alerts";

with
  states as (
    select
      callset_id,
      restated_at,
      reason,
      campaign,
      jsonb_build_object(
        'attempts',
        attempts,
        'busies',
        busies,
        'connects',
        connects,
        'liveAnswers',
        live_answers
      ) as counts
    from
      warehouse.campaign_day_restatements
    where
      account_id = $1
      and day = $2
    union all
    select
      callset_id,
      'infinity',
      null,
      campaign,
      jsonb_build_object(
        'attempts',
        attempts,
        'busies',
        busies,
        'connects',
        connects,
        'liveAnswers',
        live_answers
      )
    from
      warehouse.campaign_days
    where
      account_id = $3
      and day = $4
  ),
  changes as (
    select
      callset_id,
      restated_at,
      reason,
      counts,
      first_value(campaign) over (
        partition by
          callset_id
        order by
          restated_at desc
      ) as campaign,
      lead(counts) over (
        partition by
          callset_id
        order by
          restated_at
      ) as next
    from
      states
  )
select
  callset_id as "callsetId",
  restated_at as "restatedAt",
  reason,
  campaign,
  case
    when reason <> 'returned' then counts
  end as before,
  case
    when reason <> 'withdrawn' then next
  end as after,
  count(*) over () as restatements
from
  changes
where
  reason is not null
order by
  restated_at desc,
  callset_id
limit
  $5;

select
  "r"."reason",
  "r"."first_rejected_at" as "firstAt",
  "r"."last_rejected_at" as "latestAt",
  "r"."run_dates" as "runDates",
  left(r.payload, 2000) as "payload",
  count(*) over () as "records"
from
  "etl"."rejects" as "r"
  inner join "warehouse"."accounts" as "a" on "a"."account_id" = "r"."account_id"
where
  (
    "r"."account_id" = $1
    and "r"."day" = $2
  )
  and r.last_rejected_at > coalesce(
    case
      when r.day is null then (
        select
          max(w.started_at)
        from
          etl.walks w
        where
          w.account_id = a.account_id
          and w.verdict = 'complete'
      )
      else (
        select
          w.fetched_at
        from
          etl.windows w
        where
          w.account_id = a.account_id
          and w.day = r.day
      )
    end,
    '-infinity'
  )
order by
  "r"."reject_id"
limit
  $3;

-- metrics

select
  "g"."name",
  "g"."day",
  "g"."reported"
from
  "etl"."digests" as "g"
where
  "g"."kind" = $1
  and "g"."state" = $2
  and "g"."incomplete" = $3
  and "g"."every" = $4
  and "g"."day" >= $5
  and "g"."reported" is not null
  and not exists (
    select
    from
      "etl"."digests" as "c"
    where
      "c"."name" = "g"."name"
      and "c"."every" = "g"."every"
      and "c"."day" = "g"."day"
      and "c"."kind" = $6
  )
  and exists (
    select
    from
      "etl"."deliveries" as "d"
    where
      "d"."digest_id" = "g"."digest_id"
      and "d"."skipped_at" is null
  )
order by
  "g"."day",
  "g"."name";

select
  a.name as account,
  l.verdict,
  l.run_date as "runDate",
  l.reason,
  l.error_code as "errorCode",
  c.started_at as "completeAt",
  c.run_date as "completeRunDate",
  i.since as "incompleteSince",
  coalesce(c.implausible_missing, 0) as "implausibleMissing",
  u.since as "implausibleSince"
from
  warehouse.accounts a
  left join lateral (
    select
      w.verdict,
      w.run_date,
      w.reason,
      w.error_code
    from
      etl.walks w
    where
      w.account_id = a.account_id
      and w.verdict is not null
    order by
      w.walk_id desc
    limit
      1
  ) l on true
  left join lateral (
    select
      w.walk_id,
      w.started_at,
      w.run_date,
      w.implausible_missing
    from
      etl.walks w
    where
      w.account_id = a.account_id
      and w.verdict = 'complete'
    order by
      w.walk_id desc
    limit
      1
  ) c on true
  left join lateral (
    select
      min(w.run_date) as since
    from
      etl.walks w
    where
      w.account_id = a.account_id
      and w.verdict in ('changed', 'incomplete')
      and w.walk_id > coalesce(c.walk_id, 0)
  ) i on true
  left join lateral (
    select
      min(w.run_date) as since
    from
      etl.walks w
    where
      c.implausible_missing > 0
      and w.account_id = a.account_id
      and w.implausible_missing > 0
      and w.walk_id > coalesce(
        (
          select
            max(b.walk_id)
          from
            etl.walks b
          where
            b.account_id = a.account_id
            and b.verdict = 'complete'
            and b.implausible_missing = 0
        ),
        0
      )
  ) u on true
where
  a.until is null;

select
  to_regclass('etl_queue.job') is not null as found;

select
  "a"."name",
  "a"."label",
  "a"."time_zone" as "timeZone",
  "a"."since",
  (
    select
      coalesce(json_agg(agg), '[]')
    from
      (
        select
          "c"."day",
          "c"."state",
          "c"."held",
          "c"."failure" as "detail",
          w.failure_code as "code"
        from
          "warehouse"."coverage" as "c"
          left join "etl"."windows" as "w" on "w"."account_id" = "c"."account_id"
          and "w"."day" = "c"."day"
        where
          "c"."account_id" = "a"."account_id"
          and (
            "c"."state" <> $1
            or "c"."failure" is not null
            or "c"."held"
          )
        order by
          "c"."day"
      ) as agg
  ) as "days",
  (
    select
      coalesce(json_agg(agg), '[]')
    from
      (
        select
          "s"."day",
          "s"."reason",
          "s"."detail"
        from
          "etl"."suspicious_windows" as "s"
          inner join "etl"."windows" as "w" on "w"."account_id" = "s"."account_id"
          and "w"."day" = "s"."day"
        where
          "s"."account_id" = "a"."account_id"
          and "w"."synced_run_date" = "w"."same_since_run_date"
          and coalesce(w.catch_up_left > 0, true)
        order by
          "s"."day",
          "s"."reason"
      ) as agg
  ) as "suspicious",
  (
    select
      coalesce(json_agg(agg), '[]')
    from
      (
        select
          "r"."day",
          "r"."reason",
          count(*) as "records",
          coalesce(
            sum(
              substring(
                r.payload
                from
                  '"attempts"\s*:\s*"?(\d{1,12})'
              )::bigint
            ),
            0
          ) as "attempts",
          left(min(r.payload), 160) as "example"
        from
          "etl"."rejects" as "r"
        where
          "r"."account_id" = "a"."account_id"
          and r.last_rejected_at > coalesce(
            case
              when r.day is null then (
                select
                  max(w.started_at)
                from
                  etl.walks w
                where
                  w.account_id = a.account_id
                  and w.verdict = 'complete'
              )
              else (
                select
                  w.fetched_at
                from
                  etl.windows w
                where
                  w.account_id = a.account_id
                  and w.day = r.day
              )
            end,
            '-infinity'
          )
        group by
          "r"."day",
          "r"."reason"
        order by
          "r"."day",
          "r"."reason"
      ) as agg
  ) as "quarantined"
from
  "warehouse"."accounts" as "a"
where
  "a"."until" is null
order by
  "a"."name";

select
  "r"."run_id"
from
  "etl"."runs" as "r"
where
  "r"."kind" = $1
  and "r"."finished_at" is null
  and (
    "r"."started_at" > now() - '10 minutes'::interval
    or exists (
      select
        "w"."day"
      from
        "etl"."windows" as "w"
      where
        "w"."run_id" = "r"."run_id"
        and "w"."loaded_at" > now() - '10 minutes'::interval
    )
  )
limit
  $2;

select
  "g"."name" as "digest",
  "g"."every",
  "g"."day",
  "d"."recipient",
  "d"."state",
  "d"."reply"
from
  "etl"."deliveries" as "d"
  inner join "etl"."digests" as "g" on "g"."digest_id" = "d"."digest_id"
where
  "d"."state" not in ($1, $2)
  and "d"."skipped_at" is null
  and (
    "d"."state" not in ($3, $4)
    or (
      "d"."changed_at" > now() - '31 days'::interval
      and not (
        g.kind = 'first'
        and exists (
          select
          from
            etl.deliveries later
            join etl.digests c using (digest_id)
          where
            c.kind = 'corrected'
            and later.skipped_at is null
            and (c.name, c.every, c.day, later.recipient) = (g.name, g.every, g.day, d.recipient)
        )
      )
    )
  )
order by
  "g"."day",
  "d"."delivery_id";

select
  "r"."run_id" as "run",
  "r"."started_at" as "startedAt",
  "r"."finished_at" as "finishedAt",
  "r"."retry_at" as "retryAt",
  "r"."outcome",
  "r"."summary",
  r.finished_at is null
  and (
    not r.exclusive
    or exists (
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
    )
  )
  and not exists (
    select
    from
      etl.runs n
    where
      n.exclusive = r.exclusive
      and n.started_at > r.started_at
  ) as "atWork"
from
  "etl"."runs" as "r"
where
  "r"."kind" = $1
order by
  "r"."run_id" desc
limit
  $2;

select
  "alert" as "key",
  "since_run_date" as "since",
  "dismissed"
from
  "etl"."alerts";

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

select
  max("finished_at") filter (
    where
      "outcome" = $1
  ) as "lastSuccessAt",
  max("started_at") as "lastStartedAt"
from
  "etl"."runs"
where
  "kind" = $2;

select
  "run_id" as "run",
  "command",
  "started_at" as "startedAt",
  "finished_at" as "finishedAt",
  "retry_at" as "retryAt",
  "outcome",
  "exit_code" as "exitCode",
  r.finished_at is null
  and (
    not r.exclusive
    or exists (
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
    )
  )
  and not exists (
    select
    from
      etl.runs n
    where
      n.exclusive = r.exclusive
      and n.started_at > r.started_at
  ) as "atWork",
  "kind",
  "summary",
  "exclusive"
from
  "etl"."runs" as "r"
where
  "finished_at" is not null
  and "kind" = $1
order by
  "run_id" desc
limit
  $2;

select
  "outcome",
  count(*) as "runs"
from
  "etl"."runs"
where
  "outcome" is not null
group by
  "outcome"
order by
  "outcome";

select
  "a"."name" as "account",
  "a"."label",
  "a"."time_zone" as "timeZone",
  "a"."since",
  nullif(
    coalesce(
      min(c.day) filter (
        where
          c.state <> 'loaded'
      ) - 1,
      max(c.day) filter (
        where
          c.day >= a.since
      )
    ),
    a.since - 1
  ) as "completeThrough",
  coalesce(
    array_agg(
      c.day::text
      order by
        c.day
    ) filter (
      where
        "c"."state" <> $1
    ),
    '{}'
  ) as "gaps",
  coalesce(
    array_agg(
      c.day::text
      order by
        c.day
    ) filter (
      where
        "c"."held"
    ),
    '{}'
  ) as "held",
  coalesce(
    array_agg(
      c.day::text
      order by
        c.day
    ) filter (
      where
        "c"."suspicious"
    ),
    '{}'
  ) as "suspicious",
  count(*) filter (
    where
      "c"."settling" = $2
  ) as "settling",
  (
    select
      count(*) as "records"
    from
      "etl"."rejects" as "r"
    where
      "r"."account_id" = "a"."account_id"
      and "r"."last_rejected_at" > now() - '7 days'::interval
  ) as "quarantined"
from
  "warehouse"."accounts" as "a"
  left join "warehouse"."coverage" as "c" on "c"."account_id" = "a"."account_id"
where
  "a"."until" is null
group by
  "a"."account_id"
order by
  "a"."name";

select
  "c"."account",
  json_build_object(
    'loaded',
    count(*) filter (
      where
        "c"."state" = $1
    ),
    'provisional',
    count(*) filter (
      where
        "c"."state" = $2
    ),
    'failed',
    count(*) filter (
      where
        "c"."state" = $3
    ),
    'missing',
    count(*) filter (
      where
        "c"."state" = $4
    )
  ) as "states",
  json_build_object(
    'held',
    count(*) filter (
      where
        "c"."held" = $5
    ),
    'suspicious',
    count(*) filter (
      where
        "c"."suspicious" = $6
    ),
    'settling',
    count(*) filter (
      where
        "c"."settling" = $7
    ),
    'restated',
    count(*) filter (
      where
        "c"."restated" = $8
    )
  ) as "flags"
from
  "warehouse"."coverage" as "c"
  inner join "warehouse"."accounts" as "a" on "a"."account_id" = "c"."account_id"
where
  "a"."until" is null
group by
  "c"."account"
order by
  "c"."account";

select
  "a"."name" as "account",
  (
    select
      coalesce(sum(d.campaigns), 0)::bigint as "campaigns"
    from
      "warehouse"."account_days" as "d"
    where
      "d"."account_id" = "a"."account_id"
  ) as "rows",
  (
    select
      count(*) as "records"
    from
      "etl"."rejects" as "r"
    where
      "r"."account_id" = "a"."account_id"
  ) as "rejects"
from
  "warehouse"."accounts" as "a"
where
  "a"."until" is null
order by
  "a"."name";

select
  "operation",
  "status",
  "decision",
  count(*) as "requests"
from
  "etl"."responses"
group by
  "operation",
  "status",
  "decision"
order by
  "operation",
  "status",
  "decision";
