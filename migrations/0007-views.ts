import { type Kysely, sql } from 'kysely';

/** What BI tools start from. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create view warehouse.campaign_performance as
    select
      a.account_id, a.name as account, a.label as account_label,
      c.client_id, c.name as client,
      d.day, d.callset_id, d.campaign,
      d.attempts, d.busies, d.connects, d.live_answers,
      d.connects::numeric / nullif(d.attempts, 0) as connect_rate,
      d.live_answers::numeric / nullif(d.attempts, 0) as live_answer_rate,
      d.busies::numeric / nullif(d.attempts, 0) as busy_rate,
      s.provisional,
      d.restated_at,
      d.extra
    from warehouse.campaign_days d
    join warehouse.accounts a using (account_id)
    join warehouse.account_days s using (account_id, day)
    left join warehouse.clients c on c.account_id = a.client_account_id and c.client_id = a.client_id
    where d.withdrawn_at is null;

    comment on view warehouse.campaign_performance is 'Figures that stand, by campaign and day, with account, client and rates per attempt, as the service defines its counts.';
    comment on column warehouse.campaign_performance.account_id is 'Key of the account.';
    comment on column warehouse.campaign_performance.account is 'Name of the account.';
    comment on column warehouse.campaign_performance.account_label is 'Label of the account.';
    comment on column warehouse.campaign_performance.client_id is 'Client that the account is, where the settings say so.';
    comment on column warehouse.campaign_performance.client is 'Name of that client.';
    comment on column warehouse.campaign_performance.day is 'Calendar day in the zone of the account.';
    comment on column warehouse.campaign_performance.callset_id is 'callsetid of the service.';
    comment on column warehouse.campaign_performance.campaign is 'Name of the campaign, as told for that day.';
    comment on column warehouse.campaign_performance.attempts is 'attempts, as the service counts.';
    comment on column warehouse.campaign_performance.busies is 'busies, as the service counts.';
    comment on column warehouse.campaign_performance.connects is 'connects, as the service counts.';
    comment on column warehouse.campaign_performance.live_answers is 'liveanswers, as the service counts.';
    comment on column warehouse.campaign_performance.connect_rate is 'connects per attempt; null where attempts is 0.';
    comment on column warehouse.campaign_performance.live_answer_rate is 'live_answers per attempt; null where attempts is 0.';
    comment on column warehouse.campaign_performance.busy_rate is 'busies per attempt; null where attempts is 0.';
    comment on column warehouse.campaign_performance.provisional is 'Whether the day was not over when it was fetched.';
    comment on column warehouse.campaign_performance.restated_at is 'When the counts last changed after the day was finished; null if never.';
    comment on column warehouse.campaign_performance.extra is 'Further fields, under the service''s own names.';

    create view warehouse.coverage as
    select
      a.account_id, a.name as account, d.day,
      coalesce(w.state, 'missing') as state,
      w.held_hash is not null as held,
      coalesce(w.suspicious, false) as suspicious,
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

    comment on view warehouse.coverage is 'Every account on every day from its first to yesterday: what is loaded and what is not.';
    comment on column warehouse.coverage.account_id is 'Key of the account.';
    comment on column warehouse.coverage.account is 'Name of the account.';
    comment on column warehouse.coverage.day is 'Calendar day in the zone of the account.';
    comment on column warehouse.coverage.state is 'loaded; provisional: fetched before the day was over; failed: tried and never loaded; missing: never tried.';
    comment on column warehouse.coverage.held is 'Whether a newer answer is held back, because it would remove most of the day.';
    comment on column warehouse.coverage.suspicious is 'No campaigns, or all zero, on a weekday that usually has some.';
    comment on column warehouse.coverage.settling is 'Whether the counts have not yet been the same in two nights running.';
    comment on column warehouse.coverage.restated is 'Whether the service told other counts after the day was finished.';
    comment on column warehouse.coverage.loaded_at is 'When an answer was last applied or found the same.';
    comment on column warehouse.coverage.failure is 'Why the last try failed; null if it did not.';
  `.execute(db);
}
