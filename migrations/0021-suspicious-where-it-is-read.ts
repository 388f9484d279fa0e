import { type Kysely, sql } from 'kysely';

/**
 * Whether a day is suspicious depends on its neighbours, which may be loaded later: stored with the window, it would
 * depend on the order of the loads. So it is derived where it is read.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create view etl.suspicious_windows as
    select d.account_id, d.day
    from warehouse.account_days d
    where not d.provisional and d.attempts + d.busies + d.connects + d.live_answers = 0
      and (
        select count(*) >= 2 and bool_and(u.attempts > 0)
        from warehouse.account_days u
        where u.account_id = d.account_id and not u.provisional
          and u.day in (d.day - 7, d.day - 14, d.day - 21, d.day - 28)
      );
    comment on view etl.suspicious_windows is 'Loaded windows without calls on a weekday that usually has some: of the same weekday of the four weeks before, at least two are loaded, and all that are have attempts.';
    comment on column etl.suspicious_windows.account_id is 'Account.';
    comment on column etl.suspicious_windows.day is 'Calendar day in the zone of the account.';

    create or replace view warehouse.coverage as
    select
      a.account_id, a.name as account, d.day,
      coalesce(w.state, 'missing') as state,
      w.held_hash is not null as held,
      exists (
        select from etl.suspicious_windows s where s.account_id = a.account_id and s.day = d.day
      ) as suspicious,
      coalesce(w.state = 'loaded' and w.pulled_night = w.same_since_night, false) as settling,
      exists (
        select from warehouse.campaign_day_restatements r
        where r.account_id = a.account_id and r.day = d.day
      ) as restated,
      w.loaded_at, w.failure
    from warehouse.accounts a
    cross join lateral (
      select generate_series(
        a.since,
        least(coalesce(a.until, 'infinity'), (now() at time zone a.time_zone)::date - 1),
        interval '1 day'
      )::date as day
    ) d
    left join etl.windows w using (account_id, day);

    alter table etl.windows drop column suspicious;
  `.execute(db);
}
