-- the figures of a digest

select
  "account_id" as "id",
  "name",
  "label",
  "client_id" as "clientId"
from
  "warehouse"."accounts"
where
  "name" = any ($1)
order by
  array_position($2::text[], name);

select
  "n"."name" as "account",
  coalesce("a"."label", "n"."name") as "label",
  "w"."state",
  "w"."lackingDays",
  "r"."campaigns",
  "s"."attempts",
  "s"."busies",
  "s"."connects",
  "s"."liveAnswers",
  "r"."unreported",
  "r"."rates"
from
  unnest($1::text[]) with ordinality as n (name, place)
  left join "warehouse"."accounts" as "a" on "a"."name" = "n"."name"
  inner join lateral (
    select
      case
        when every(w.state is not distinct from 'loaded') then 'loaded'
        when count(*) filter (
          where
            w.state in ('loaded', 'provisional')
        ) > 0 then 'provisional'
        else max(w.state)
      end as state,
      coalesce(
        array_agg(
          e.day::text
          order by
            e.day
        ) filter (
          where
            w.state is distinct from 'loaded'
        ),
        '{}'
      ) as "lackingDays"
    from
      (
        select
          $2::date + n as day
        from
          generate_series(0, $3::date - $4::date) n
        where
          a.since is null
          or a.since > $5::date
          or $6::date + n >= a.since
      ) e
      left join etl.windows w on w.account_id = a.account_id
      and w.day = e.day
  ) as w on true
  inner join lateral (
    select
      sum(s.attempts) as attempts,
      sum(s.busies) as busies,
      sum(s.connects) as connects,
      sum(s.live_answers) as "liveAnswers"
    from
      warehouse.account_days s
    where
      s.account_id = a.account_id
      and s.day between $7::date and $8::date
  ) as s on true
  inner join lateral (
    select
      count(distinct d.callset_id) as campaigns,
      jsonb_build_object(
        'attempts',
        count(distinct d.callset_id) filter (
          where
            d."attempts" is null
        ),
        'busies',
        count(distinct d.callset_id) filter (
          where
            d."busies" is null
        ),
        'connects',
        count(distinct d.callset_id) filter (
          where
            d."connects" is null
        ),
        'liveAnswers',
        count(distinct d.callset_id) filter (
          where
            d."live_answers" is null
        )
      ) as unreported,
      jsonb_build_object(
        'connects',
        jsonb_build_object(
          'part',
          (
            sum(d."connects") filter (
              where
                d.attempts is not null
            )
          )::text,
          'attempts',
          (
            sum(d.attempts) filter (
              where
                d."connects" is not null
            )
          )::text
        ),
        'liveAnswers',
        jsonb_build_object(
          'part',
          (
            sum(d."live_answers") filter (
              where
                d.attempts is not null
            )
          )::text,
          'attempts',
          (
            sum(d.attempts) filter (
              where
                d."live_answers" is not null
            )
          )::text
        ),
        'busies',
        jsonb_build_object(
          'part',
          (
            sum(d."busies") filter (
              where
                d.attempts is not null
            )
          )::text,
          'attempts',
          (
            sum(d.attempts) filter (
              where
                d."busies" is not null
            )
          )::text
        )
      ) as rates
    from
      warehouse.campaign_days d
    where
      d.account_id = a.account_id
      and d.day between $9::date and $10::date
      and d.withdrawn_at is null
  ) as r on true
order by
  "n"."place";

select
  "a"."name" as "account",
  "s"."day",
  "s"."campaigns",
  "s"."attempts",
  "s"."busies",
  "s"."connects",
  "s"."live_answers" as "liveAnswers",
  case
    when h.campaigns = s.campaigns then '{"part": null, "attempts": null}'::jsonb
    else jsonb_build_object(
      'part',
      (s.connects - h.connects)::text,
      'attempts',
      (s.attempts - h.attempts)::text
    )
  end as "connectRate"
from
  "warehouse"."account_days" as "s"
  inner join "warehouse"."accounts" as "a" on "a"."account_id" = "s"."account_id"
  inner join lateral (
    select
      count(*) as campaigns,
      coalesce(sum(d.attempts), 0) as attempts,
      coalesce(sum(d.connects), 0) as connects
    from
      warehouse.campaign_days d
    where
      d.account_id = s.account_id
      and d.day = s.day
      and d.withdrawn_at is null
      and (
        d.attempts is null
        or d.connects is null
      )
  ) as h on true
where
  "s"."account_id" = any ($1)
  and "s"."day" between $2 and $3
  and "s"."provisional" = $4
order by
  "s"."day",
  "s"."account_id";

select
  "a"."label",
  "d"."callset_id" as "callsetId",
  (
    array_agg(
      d.campaign
      order by
        d.day desc
    )
  ) [1] as "campaign",
  sum("d"."attempts") as "attempts",
  sum("d"."busies") as "busies",
  sum("d"."connects") as "connects",
  sum("d"."live_answers") as "liveAnswers",
  jsonb_build_object(
    'connects',
    jsonb_build_object(
      'part',
      (
        sum(d."connects") filter (
          where
            d.attempts is not null
        )
      )::text,
      'attempts',
      (
        sum(d.attempts) filter (
          where
            d."connects" is not null
        )
      )::text
    ),
    'liveAnswers',
    jsonb_build_object(
      'part',
      (
        sum(d."live_answers") filter (
          where
            d.attempts is not null
        )
      )::text,
      'attempts',
      (
        sum(d.attempts) filter (
          where
            d."live_answers" is not null
        )
      )::text
    ),
    'busies',
    jsonb_build_object(
      'part',
      (
        sum(d."busies") filter (
          where
            d.attempts is not null
        )
      )::text,
      'attempts',
      (
        sum(d.attempts) filter (
          where
            d."busies" is not null
        )
      )::text
    )
  ) as "rates"
from
  "warehouse"."campaign_days" as "d"
  inner join "warehouse"."accounts" as "a" on "a"."account_id" = "d"."account_id"
where
  "d"."account_id" = any ($1)
  and "d"."day" between $2 and $3
  and "d"."withdrawn_at" is null
group by
  "d"."account_id",
  "a"."label",
  "d"."callset_id"
having
  sum("d"."attempts") > $4
order by
  sum("d"."attempts") desc,
  "d"."account_id",
  "d"."callset_id"
limit
  $5;

with
  weeks as (
    select
      $1::date - 7 * n as day
    from
      generate_series(0, 4) n
  ),
  loaded as (
    select
      account_id,
      count(*) - 1 as weeks
    from
      warehouse.account_days
      join weeks using (day)
    where
      account_id = any ($2::integer[])
      and not provisional
    group by
      account_id
    having
      count(*) >= 3
      and max(day) = $3::date
  ),
  campaigns as (
    select
      d.account_id,
      d.callset_id,
      (
        array_agg(
          d.campaign
          order by
            d.day desc
        )
      ) [1] as campaign,
      bool_or(
        d.day = $4::date
        and d.attempts is null
      ) as unreported,
      coalesce(
        max(d.attempts) filter (
          where
            d.day = $5::date
        ),
        0
      ) as attempts,
      coalesce(
        sum(d.attempts) filter (
          where
            d.day < $6::date
        ),
        0
      ) as before,
      l.weeks - count(*) filter (
        where
          d.attempts is null
      ) as weeks
    from
      loaded l
      join warehouse.account_days s on s.account_id = l.account_id
      and not s.provisional
      join weeks using (day)
      join warehouse.campaign_days d on d.account_id = s.account_id
      and d.day = s.day
      and d.withdrawn_at is null
    group by
      d.account_id,
      d.callset_id,
      l.weeks
  ),
  compared as (
    select
      *,
      before / weeks as typical
    from
      campaigns
    where
      weeks >= 2
      and not unreported
  )
select
  a.label,
  c.callset_id as "callsetId",
  c.campaign,
  c.attempts,
  c.typical::float8 as typical
from
  compared c
  join warehouse.accounts a using (account_id)
where
  abs(c.attempts - c.typical) >= greatest(10, c.typical / 10)
order by
  abs(c.attempts - c.typical) desc,
  c.account_id,
  c.callset_id
limit
  $7;

select
  a.label,
  d.callset_id as "callsetId",
  d.campaign,
  sum(d.attempts) as attempts,
  sum(d.busies) as busies,
  sum(d.connects) as connects,
  sum(d.live_answers) as "liveAnswers",
  jsonb_build_object(
    'connects',
    jsonb_build_object(
      'part',
      (
        sum(d."connects") filter (
          where
            d.attempts is not null
        )
      )::text,
      'attempts',
      (
        sum(d.attempts) filter (
          where
            d."connects" is not null
        )
      )::text
    ),
    'liveAnswers',
    jsonb_build_object(
      'part',
      (
        sum(d."live_answers") filter (
          where
            d.attempts is not null
        )
      )::text,
      'attempts',
      (
        sum(d.attempts) filter (
          where
            d."live_answers" is not null
        )
      )::text
    ),
    'busies',
    jsonb_build_object(
      'part',
      (
        sum(d."busies") filter (
          where
            d.attempts is not null
        )
      )::text,
      'attempts',
      (
        sum(d.attempts) filter (
          where
            d."busies" is not null
        )
      )::text
    )
  ) as rates
from
  warehouse.campaign_days d
  join warehouse.accounts a using (account_id)
where
  d.account_id = any ($1::integer[])
  and d.day = $2
  and d.withdrawn_at is null
  and d.connects is not null
  and d.attempts >= greatest(
    20,
    (
      select
        sum(s.attempts) / 100
      from
        warehouse.account_days s
      where
        s.account_id = any ($3::integer[])
        and s.day = $4
    )
  )
group by
  a.account_id,
  d.account_id,
  d.day,
  d.callset_id
order by
  d.connects::numeric / d.attempts,
  d.attempts desc,
  d.account_id,
  d.callset_id
limit
  $5;

select
  a.label,
  array(
    select
      day::text
    from
      (
        select
          $1::date + n as day
        from
          generate_series(0, $2::date - $3::date) n
      ) d
    where
      day >= a.since
      and not exists (
        select
        from
          etl.windows w
        where
          w.account_id = a.account_id
          and w.day = d.day
          and w.state = 'loaded'
      )
    order by
      day
  ) as "recentlyMissing"
from
  warehouse.accounts a
where
  a.account_id = any ($4::integer[])
  and a.since is not null
order by
  array_position($5::integer[], a.account_id);

select
  max("fetched_at") as "asOf"
from
  "etl"."windows"
where
  "account_id" = any ($1)
  and "day" between $2 and $3;

select
  (
    select
      max("built_at") as "at"
    from
      "etl"."digests"
    where
      "name" = $1
      and "every" = $2
      and "kind" = $3
      and "state" = $4
      and "day" < $5
  ) as "since",
  (
    select
      "built_at"
    from
      "etl"."digests"
    where
      "name" = $6
      and "every" = $7
      and "kind" = $8
      and "state" = $9
      and "day" = $10
  ) as "until";

with
  period as (
    select
      $1::timestamptz as since,
      coalesce($2::timestamptz, 'infinity') as until
  ),
  -- The first of the states that each row has had since. Materialized: looked up row by row it takes minutes.
  before as materialized (
    select distinct
      on (account_id, day, callset_id) e.*
    from
      warehouse.campaign_day_restatements e,
      period p
    where
      account_id = any ($3::integer[])
      and day < $4
      and restated_at > p.since
      and restated_at <= p.until
    order by
      account_id,
      day,
      callset_id,
      restated_at
  ),
  reported as (
    select
      g.day - n as day,
      bool_and(g.incomplete) as incomplete
    from
      etl.digests g,
      period p,
      generate_series(
        0,
        g.day - date_trunc(g.every, g.day::timestamp)::date
      ) n
    where
      g.name = $5
      and g.every = $6
      and g.state = 'built'
      and (
        not g.incomplete
        or g.every <> 'day'
      )
      and g.built_at <= p.since
    group by
      1
  ),
  -- Found without the rows: a backfill may have loaded years of them.
  candidates as materialized (
    select
      account_id,
      day
    from
      before
    union
    select
      account_id,
      w.day
    from
      etl.windows w,
      period p
    where
      account_id = any ($7::integer[])
      and w.day < $8
      and w.state = 'loaded'
      and w.loaded_at > p.since
      and w.day in (
        select
          day
        from
          reported
      )
  )
select
  a.label,
  d.day,
  count(*) filter (
    where
      f.differs
  ) as campaigns,
  jsonb_build_object(
    'attempts',
    case count(*) filter (
        where
          f.known
          and f.listed
      )
      when 0 then case
        when not coalesce(bool_or(t.incomplete), false) then '0'
      end
      else sum(
        case
          when r.restated_at is null then "d"."attempts"
          else "r"."attempts"
        end
      ) filter (
        where
          f.known
          and f.listed
      )::text
    end,
    'busies',
    case count(*) filter (
        where
          f.known
          and f.listed
      )
      when 0 then case
        when not coalesce(bool_or(t.incomplete), false) then '0'
      end
      else sum(
        case
          when r.restated_at is null then "d"."busies"
          else "r"."busies"
        end
      ) filter (
        where
          f.known
          and f.listed
      )::text
    end,
    'connects',
    case count(*) filter (
        where
          f.known
          and f.listed
      )
      when 0 then case
        when not coalesce(bool_or(t.incomplete), false) then '0'
      end
      else sum(
        case
          when r.restated_at is null then "d"."connects"
          else "r"."connects"
        end
      ) filter (
        where
          f.known
          and f.listed
      )::text
    end,
    'liveAnswers',
    case count(*) filter (
        where
          f.known
          and f.listed
      )
      when 0 then case
        when not coalesce(bool_or(t.incomplete), false) then '0'
      end
      else sum(
        case
          when r.restated_at is null then "d"."live_answers"
          else "r"."live_answers"
        end
      ) filter (
        where
          f.known
          and f.listed
      )::text
    end
  ) as "from",
  jsonb_build_object(
    'attempts',
    case count(*) filter (
        where
          d.withdrawn_at is null
      )
      when 0 then '0'
      else sum("d"."attempts") filter (
        where
          d.withdrawn_at is null
      )::text
    end,
    'busies',
    case count(*) filter (
        where
          d.withdrawn_at is null
      )
      when 0 then '0'
      else sum("d"."busies") filter (
        where
          d.withdrawn_at is null
      )::text
    end,
    'connects',
    case count(*) filter (
        where
          d.withdrawn_at is null
      )
      when 0 then '0'
      else sum("d"."connects") filter (
        where
          d.withdrawn_at is null
      )::text
    end,
    'liveAnswers',
    case count(*) filter (
        where
          d.withdrawn_at is null
      )
      when 0 then '0'
      else sum("d"."live_answers") filter (
        where
          d.withdrawn_at is null
      )::text
    end
  ) as "to"
from
  candidates c
  join warehouse.campaign_days d using (account_id, day)
  join warehouse.accounts a using (account_id)
  cross join period p
  left join before r using (account_id, day, callset_id)
  left join reported t using (day)
  cross join lateral (
    select
      coalesce(r.loaded_at, d.loaded_at) <= p.since as known,
      case
        when r.restated_at is null then d.withdrawn_at is null
        else r.reason <> 'returned'
      end as listed,
      r.restated_at is not null
      or (
        d.loaded_at > p.since
        and d.loaded_at <= p.until
        and d.withdrawn_at is null
      ) as differs
  ) f
group by
  a.account_id,
  d.day
having
  bool_or(f.differs)
  and (
    bool_or(f.known)
    or bool_or(t.day is not null)
  )
order by
  d.day,
  a.label;

select
  "a"."label",
  "w"."day",
  "w"."held_since" as "since"
from
  "etl"."windows" as "w"
  inner join "warehouse"."accounts" as "a" on "a"."account_id" = "w"."account_id"
where
  "w"."account_id" = any ($1)
  and "w"."day" <= $2
  and "w"."held_hash" is not null
order by
  "w"."day",
  "a"."label";

select
  "a"."label",
  "s"."day",
  "s"."reason",
  "s"."detail"
from
  "etl"."suspicious_windows" as "s"
  inner join "warehouse"."accounts" as "a" on "a"."account_id" = "s"."account_id"
where
  "s"."account_id" = any ($1)
  and "s"."day" = any ($2)
order by
  "s"."day",
  "a"."label",
  "s"."reason";

select
  "a"."label",
  count(*) as "count",
  (
    array_agg(
      coalesce(nullif(btrim(c.name), ''), '#' || c.client_id)
      order by
        c.client_id
    )
  ) [1:5] as "names"
from
  "warehouse"."clients" as "c"
  inner join "warehouse"."accounts" as "a" on "a"."account_id" = "c"."account_id"
where
  "c"."account_id" = any ($1)
  and (
    "c"."first_seen_at" > coalesce($2::timestamptz, '-infinity')
    and "c"."first_seen_at" <= coalesce($3::timestamptz, 'infinity')
  )
  and exists (
    select
    from
      "warehouse"."clients" as "k"
    where
      "k"."account_id" = "c"."account_id"
      and "k"."first_seen_at" <= $4
  )
group by
  "a"."account_id"
order by
  "a"."label";

select
  "a"."label",
  count(*) as "count",
  (
    array_agg(
      coalesce(nullif(btrim(c.name), ''), '#' || c.client_id)
      order by
        c.client_id
    )
  ) [1:5] as "names"
from
  "warehouse"."clients" as "c"
  inner join "warehouse"."accounts" as "a" on "a"."account_id" = "c"."account_id"
where
  "c"."account_id" = any ($1)
  and "c"."absent_since" is not null
  and (
    "c"."absent_noted_at" > coalesce($2::timestamptz, '-infinity')
    and "c"."absent_noted_at" <= coalesce($3::timestamptz, 'infinity')
  )
group by
  "a"."account_id"
order by
  "a"."label";

select
  "a"."name" as "account",
  "a"."label",
  "c"."client_id" as "clientId",
  coalesce(nullif(btrim(c.name), ''), '#' || c.client_id) as "name",
  "c"."balance",
  count(*) over () as "count"
from
  "warehouse"."clients" as "c"
  inner join "warehouse"."accounts" as "a" on "a"."account_id" = "c"."account_id"
where
  "c"."account_id" = any ($1)
  and "c"."absent_since" is null
  and "c"."balance" < $2::numeric
order by
  "c"."balance",
  "c"."account_id",
  "c"."client_id"
limit
  $3;
