-- status: accounts

select
  "account",
  "verdict",
  "run_date" as "runDate",
  "reason",
  "error_code" as "errorCode",
  "complete_at" as "completeAt",
  "complete_run_date" as "completeRunDate",
  "incomplete_since" as "incompleteSince",
  "implausible_missing" as "implausibleMissing",
  "implausible_since" as "implausibleSince"
from
  "etl"."walk_states";

select
  "f"."account",
  "a"."label",
  "a"."time_zone" as "timeZone",
  "a"."since",
  "f"."complete_through" as "completeThrough",
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
  "warehouse"."freshness" as "f"
  inner join "warehouse"."accounts" as "a" on "a"."account_id" = "f"."account_id"
  left join "warehouse"."coverage" as "c" on "c"."account_id" = "f"."account_id"
group by
  "f"."account",
  "f"."complete_through",
  "a"."account_id"
order by
  "f"."account";

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
  "account",
  "verdict",
  "run_date" as "runDate",
  "reason",
  "error_code" as "errorCode",
  "complete_at" as "completeAt",
  "complete_run_date" as "completeRunDate",
  "incomplete_since" as "incompleteSince",
  "implausible_missing" as "implausibleMissing",
  "implausible_since" as "implausibleSince"
from
  "etl"."walk_states";

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
          "c"."error_code" as "code",
          "c"."reason"
        from
          "warehouse"."coverage" as "c"
        where
          "c"."account_id" = "a"."account_id"
          and (
            "c"."state" <> $1
            or "c"."reason" is not null
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
          inner join "warehouse"."coverage" as "c" on "c"."account_id" = "s"."account_id"
          and "c"."day" = "s"."day"
        where
          "s"."account_id" = "a"."account_id"
          and "c"."settling" = $2
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
  "account",
  "verdict",
  "run_date" as "runDate",
  "reason",
  "error_code" as "errorCode",
  "complete_at" as "completeAt",
  "complete_run_date" as "completeRunDate",
  "incomplete_since" as "incompleteSince",
  "implausible_missing" as "implausibleMissing",
  "implausible_since" as "implausibleSince"
from
  "etl"."walk_states";

select
  "f"."account",
  "a"."label",
  "a"."time_zone" as "timeZone",
  "a"."since",
  "f"."complete_through" as "completeThrough",
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
  "warehouse"."freshness" as "f"
  inner join "warehouse"."accounts" as "a" on "a"."account_id" = "f"."account_id"
  left join "warehouse"."coverage" as "c" on "c"."account_id" = "f"."account_id"
group by
  "f"."account",
  "f"."complete_through",
  "a"."account_id"
order by
  "f"."account";

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
          "c"."error_code" as "code",
          "c"."reason"
        from
          "warehouse"."coverage" as "c"
        where
          "c"."account_id" = "a"."account_id"
          and (
            "c"."state" <> $1
            or "c"."reason" is not null
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
          inner join "warehouse"."coverage" as "c" on "c"."account_id" = "s"."account_id"
          and "c"."day" = "s"."day"
        where
          "s"."account_id" = "a"."account_id"
          and "c"."settling" = $2
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
  "c"."account",
  "c"."day",
  "c"."state",
  "c"."held",
  "c"."suspicious",
  "c"."settling",
  "c"."restated",
  "d"."campaigns",
  "d"."attempts"
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
  "account",
  "verdict",
  "run_date" as "runDate",
  "reason",
  "error_code" as "errorCode",
  "complete_at" as "completeAt",
  "complete_run_date" as "completeRunDate",
  "incomplete_since" as "incompleteSince",
  "implausible_missing" as "implausibleMissing",
  "implausible_since" as "implausibleSince"
from
  "etl"."walk_states";

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
          "c"."error_code" as "code",
          "c"."reason"
        from
          "warehouse"."coverage" as "c"
        where
          "c"."account_id" = "a"."account_id"
          and (
            "c"."state" <> $1
            or "c"."reason" is not null
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
          inner join "warehouse"."coverage" as "c" on "c"."account_id" = "s"."account_id"
          and "c"."day" = "s"."day"
        where
          "s"."account_id" = "a"."account_id"
          and "c"."settling" = $2
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
  "metric",
  "labels",
  "value"
from
  "etl"."metric_samples"
order by
  "metric",
  labels::text;
