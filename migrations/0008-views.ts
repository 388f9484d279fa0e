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
      attempts: 'attempts, as the service counts; null where it reported none, which is not 0.',
      busies: 'busies, as the service counts; null where it reported none.',
      connects: 'connects, as the service counts; null where it reported none.',
      live_answers: 'liveanswers, as the service counts; null where it reported none.',
      connect_rate: 'connects per attempt; null where either was not reported, or attempts is 0.',
      live_answer_rate: 'live_answers per attempt; null where either was not reported, or attempts is 0.',
      busy_rate: 'busies per attempt; null where either was not reported, or attempts is 0.',
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
  await createSuspiciousWindows(db);
  await createCoverage(db);
}

/** Days are counted in dates: a session's zone may skip midnight, and a series of timestamps would overstep its end. */
async function createCoverage(db: Kysely<unknown>): Promise<void> {
  await createView(
    db,
    'warehouse.coverage',
    'Every account on every day from its first to yesterday: what is loaded and what is not; and the days before its first that are loaded.',
    {
      account_id: 'Key of the account.',
      account: 'Name of the account.',
      day: 'Calendar day in the zone of the account.',
      state:
        'loaded; provisional: fetched before the day was over; failed: attempted and never loaded; missing: never attempted.',
      held: 'Whether a newer response is held, because it would remove most of the day.',
      suspicious:
        'No calls on a weekday that usually has some; or a response that most of its campaigns leave a count out of, with a text or an error beside its rows, or with a count that is not that of its rows.',
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
         0, least(coalesce(a.until, 'infinity'), etl.today_in(a.time_zone) - 1) - a.since) n
       union all
       select e.day from etl.windows e
       where e.account_id = a.account_id and e.state = 'loaded' and e.day < coalesce(a.since, 'infinity')
     ) d
     left join etl.windows w using (account_id, day)`,
  );
}

/** Derived, never stored: neighbours may be loaded later. */
async function createSuspiciousWindows(db: Kysely<unknown>): Promise<void> {
  await createView(
    db,
    'etl.suspicious_windows',
    'Loaded windows that are probably not what they seem, with a row for each reason.',
    {
      account_id: 'Account.',
      day: 'Calendar day in the zone of the account.',
      reason:
        'no calls: on a weekday that usually has some (of the same weekday of the four weeks before, at least two are loaded, and all that are have attempts); unreported: over half of the campaigns leave a count out, which the responses of at least two of the 28 days before did not all do; notice: text or an error beside the campaigns; counts: a count beside the campaigns announces more than are listed, though it was their number in most of the responses before.',
      detail: 'Which counts, or the text; null for no calls.',
    },
    `select d.account_id, d.day, 'no calls' as reason, null as detail
     from warehouse.account_days d
     where not d.provisional
       and (d.campaigns = 0 or greatest(d.attempts, d.busies, d.connects, d.live_answers) = 0)
       and (
         select count(*) >= 2 and bool_and(coalesce(u.attempts, 0) > 0)
         from warehouse.account_days u
         where u.account_id = d.account_id and not u.provisional
           and u.day in (d.day - 7, d.day - 14, d.day - 21, d.day - 28))
     union all
     select f.account_id, f.day, s.reason, s.detail
     from etl.responses f
     cross join lateral (
       select 'notice' as reason, f.notice as detail
       union all
       select 'counts', string_agg(name || ' is ' || (f.counts ->> name), ', ' order by name) || ', with ' || f.rows || ' listed'
       from unnest(f.disagreeing) c (name)
       union all
       select 'unreported', string_agg(name, ', ')
       from unnest(f.unreported) c (name)
       where not (
         select count(distinct u.day) >= 2 and bool_and(name = any(u.unreported))
         from etl.responses u
         where u.account_id = f.account_id and u.day between f.day - 28 and f.day - 1
           and u.decision in ('loaded', 'provisional') and u.rows > 0)
     ) s
     where f.decision in ('loaded', 'provisional') and s.detail is not null
       and (f.notice is not null or f.disagreeing <> '{}' or f.unreported <> '{}')
       and not exists (
         select from etl.responses l
         where l.account_id = f.account_id and l.day = f.day and l.response_id > f.response_id
           and l.decision in ('loaded', 'provisional'))`,
  );
}
