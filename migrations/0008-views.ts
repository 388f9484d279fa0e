import type { Kysely } from 'kysely';
import { createView } from './support/commented.ts';

/** What BI tools start from. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createView(
    db,
    'warehouse.campaign_performance',
    'Current figures by campaign and day, with account, client and rates per attempt, as the service defines its counts.',
    {
      account_id: 'Key of the account.',
      account: 'Name of the account.',
      account_label: 'Label of the account.',
      client_id: 'Client that the account is, where the settings say so.',
      client: 'Name of that client.',
      day: 'Calendar day in the zone of the account.',
      callset_id: 'callsetid of the service.',
      campaign: 'Name of the campaign, as reported for that day.',
      attempts: 'attempts, as the service counts.',
      busies: 'busies, as the service counts.',
      connects: 'connects, as the service counts.',
      live_answers: 'liveanswers, as the service counts.',
      connect_rate: 'connects per attempt; null where attempts is 0.',
      live_answer_rate: 'live_answers per attempt; null where attempts is 0.',
      busy_rate: 'busies per attempt; null where attempts is 0.',
      provisional: 'Whether the day was not over when it was fetched.',
      restated_at: 'When the counts last changed after the day was finished; null if never.',
      extra: "Further fields, under the service's own names.",
    },
    `select
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
     where d.withdrawn_at is null`,
  );
  await createCoverage(db);
}

/** Days are counted in dates: a session's zone may skip midnight, and a series of timestamps would overstep its end. */
async function createCoverage(db: Kysely<unknown>): Promise<void> {
  await createView(
    db,
    'warehouse.coverage',
    'Every account on every day from its first to yesterday: what is loaded and what is not.',
    {
      account_id: 'Key of the account.',
      account: 'Name of the account.',
      day: 'Calendar day in the zone of the account.',
      state:
        'loaded; provisional: fetched before the day was over; failed: attempted and never loaded; missing: never attempted.',
      held: 'Whether a newer response is held, because it would remove most of the day.',
      suspicious: 'No campaigns, or all zero, on a weekday that usually has some.',
      settling:
        'Whether the counts have not yet been the same on two run dates, and a later run still catches up on the day.',
      restated: 'Whether the service reported other counts after the day was finished.',
      loaded_at: 'When a response was last applied or found the same.',
      failure: 'Why the last attempt failed; null if it did not.',
    },
    `select
       a.account_id, a.name as account, d.day,
       coalesce(w.state, 'missing') as state,
       w.held_hash is not null as held,
       exists (
         select from etl.suspicious_windows s where s.account_id = a.account_id and s.day = d.day
       ) as suspicious,
       coalesce(
         w.state = 'loaded' and w.synced_run_date = w.same_since_run_date and coalesce(w.catch_up_left > 0, true), false
       ) as settling,
       exists (
         select from warehouse.campaign_day_restatements r
         where r.account_id = a.account_id and r.day = d.day
       ) as restated,
       w.loaded_at, w.failure
     from warehouse.accounts a
     cross join lateral (
       select a.since + n as day
       from generate_series(
         0, least(coalesce(a.until, 'infinity'), (now() at time zone a.time_zone)::date - 1) - a.since) n
     ) d
     left join etl.windows w using (account_id, day)`,
  );
}
