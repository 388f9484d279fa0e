import type { Kysely } from 'kysely';
import { createView } from './support/commented.ts';
import { reasonCode } from './support/reason-code.ts';

/** Creates the views of BI tools, and those of the job in `etl`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createCampaignDays(db);
  await createAccountDays(db);
  await createCoverage(db);
  await createFreshness(db);
  await createTypical(db);
  await createAccountPerformance(db);
  await createRestatedDays(db);
  await createMails(db);
  await createMailedPeriods(db);
  await createDeliveries(db);
  await createRuns(db);
  await createWalkStates(db);
  await createMetricSamples(db);
}

/** Left joins alone: Postgres skips those whose columns a query doesn't name. */
async function createCampaignDays(db: Kysely<unknown>): Promise<void> {
  await createView(
    db,
    'warehouse.campaign_days',
    'Current figures of each campaign and day. Unique by account_id, day, callset_id.',
    {
      account_id: 'Key in warehouse.accounts.',
      account: 'Name of the account.',
      listed_by_account_id:
        'Account that lists this account as a client; null if the accounts file names none.',
      listed_client_id: 'client_id in that list.',
      client: 'Name of that client.',
      day: "Day in the account's zone.",
      callset_id: 'callsetid of the service.',
      campaign: 'Campaign name on that day.',
      attempts: 'attempts of the service; null if not reported, which is not 0.',
      busies: 'busies of the service; null if not reported.',
      connects: 'connects of the service; null if not reported.',
      live_answers: 'liveanswers of the service; null if not reported.',
      connect_rate: 'connects per attempt; null if either is null or attempts is 0.',
      live_answer_rate: 'live_answers per attempt; null if either is null or attempts is 0.',
      busy_rate: 'busies per attempt; null if either is null or attempts is 0.',
      provisional: 'True if the day is not confirmed yet.',
      restated_at: 'When the counts last changed after the day was finished; null if never.',
      updated_at: 'When anything of the day last changed, as in account_days.',
      extra: 'Other fields of the service, under their own names.',
    },
    `select
       d.account_id, a.name as account, a.listed_by_account_id, a.listed_client_id, c.name as client,
       d.day, d.callset_id, d.campaign,
       d.attempts, d.busies, d.connects, d.live_answers,
       d.connects::numeric / nullif(d.attempts, 0) as connect_rate,
       d.live_answers::numeric / nullif(d.attempts, 0) as live_answer_rate,
       d.busies::numeric / nullif(d.attempts, 0) as busy_rate,
       s.state = 'provisional' as provisional, d.restated_at, s.updated_at, d.extra
     from etl.campaign_days d
     left join warehouse.accounts a using (account_id)
     left join etl.windows s using (account_id, day)
     left join warehouse.clients c on c.account_id = a.listed_by_account_id and c.client_id = a.listed_client_id
     where d.withdrawn_at is null`,
  );
}

async function createAccountDays(db: Kysely<unknown>): Promise<void> {
  await createView(
    db,
    'warehouse.account_days',
    'Sums of each loaded day of an account. A sum is 0 without campaigns, and null if none of them reports the count; if some do, of these. For a rate over several rows, sum its two parts, then divide. Unique by account_id, day.',
    {
      account_id: 'Key in warehouse.accounts.',
      account: 'Name of the account.',
      day: "Day in the account's zone.",
      listed_campaigns: 'Number of campaigns on that day.',
      active_campaigns: 'Number of campaigns with attempts.',
      attempts_unreported_campaigns:
        'Number of campaigns that do not report attempts: they are not in the sums.',
      attempts: 'Sum of attempts; 0 without campaigns, null if none of them reports it.',
      busies: 'Sum of busies; 0 without campaigns, null if none of them reports it.',
      connects: 'Sum of connects; 0 without campaigns, null if none of them reports it.',
      live_answers: 'Sum of live_answers; 0 without campaigns, null if none of them reports it.',
      connect_rate: 'connects per attempt over campaigns that report both; null without such attempts.',
      live_answer_rate:
        'live_answers per attempt over campaigns that report both; null without such attempts.',
      busy_rate: 'busies per attempt over campaigns that report both; null without such attempts.',
      connect_rate_connects: 'connects of campaigns that also report attempts.',
      connect_rate_attempts: 'attempts of campaigns that also report connects.',
      live_answer_rate_live_answers: 'live_answers of campaigns that also report attempts.',
      live_answer_rate_attempts: 'attempts of campaigns that also report live_answers.',
      busy_rate_busies: 'busies of campaigns that also report attempts.',
      busy_rate_attempts: 'attempts of campaigns that also report busies.',
      provisional: 'True if the day is not confirmed yet.',
      provisional_code:
        'Code of the first reason why it is not confirmed (docs/operations.md); null if it is.',
      provisional_reason: 'Why it is not confirmed; null if it is.',
      first_loaded_at: 'When the day was first loaded.',
      confirmed_at: 'When the day became confirmed; null if it is not.',
      synced_at: 'When a response was last applied or found equal.',
      updated_at: 'When anything of the day last changed: the cursor of a model that reloads complete days.',
      label: 'Label of the account for people.',
    },
    `select w.account_id, a.name as account, w.day, w.listed_campaigns, w.active_campaigns, w.attempts_unreported_campaigns,
       w.attempts, w.busies, w.connects, w.live_answers,
       w.connect_rate_connects / nullif(w.connect_rate_attempts, 0) as connect_rate,
       w.live_answer_rate_live_answers / nullif(w.live_answer_rate_attempts, 0) as live_answer_rate,
       w.busy_rate_busies / nullif(w.busy_rate_attempts, 0) as busy_rate,
       w.connect_rate_connects, w.connect_rate_attempts, w.live_answer_rate_live_answers, w.live_answer_rate_attempts,
       w.busy_rate_busies, w.busy_rate_attempts,
       w.state = 'provisional' as provisional, w.provisional_code, w.provisional_reason, w.first_loaded_at, w.confirmed_at,
       w.synced_at, w.updated_at, a.label
     from etl.windows w
     left join warehouse.accounts a using (account_id)
     where w.state <> 'failed'`,
  );
}

/** Counts days as dates: a session's zone may skip midnight, and a series of timestamps would overshoot. */
async function createCoverage(db: Kysely<unknown>): Promise<void> {
  await createView(
    db,
    'warehouse.coverage',
    'Each account on each day from its first expected day to yesterday, and on earlier days that are loaded. Unique by account_id, day.',
    {
      account_id: 'Key in warehouse.accounts.',
      account: 'Name of the account.',
      day: "Day in the account's zone.",
      state:
        'loaded: confirmed; provisional: loaded, not confirmed yet; failed: attempted, never loaded; missing: never attempted.',
      held: 'True if a newer response is held, because it has an anomaly.',
      settling:
        'True if the counts were not yet the same on two run dates, and a later run fetches the day again: not if the account left.',
      restated: 'True if the day changed after it was finished.',
      dismissed: 'True if the day is not loaded, and somebody dismissed the alert that says so.',
      synced_at: 'When a response was last applied or found equal.',
      reason_code:
        'Code of the reason (docs/operations.md): what speaks first against the held response; else of the error of the last attempt; else why the day is provisional; else null.',
      reason:
        'Why a response is held; else the error of the last attempt, also of a loaded day; else why the day is provisional; else null.',
      listed: 'Campaigns in the response, if it announces another number; else null.',
      announced: 'Campaigns that it announces, if it lists another number; else null.',
    },
    `select
       a.account_id, a.name as account, d.day,
       case when w.state <> 'failed' or w.failed_at is not null then w.state else 'missing' end as state,
       w.held_hash is not null as held,
       coalesce(w.state = 'loaded' and not w.settled and a.last_expected_day is null, false) as settling,
       exists (
         select from warehouse.campaign_day_restatements r
         where r.account_id = a.account_id and r.day = d.day
       ) as restated,
       w.dismissed_at is not null as dismissed,
       w.synced_at, coalesce(${reasonCode('w.held_code')}, w.error_code, w.provisional_code) as reason_code,
       coalesce(w.held_reason, w.error, w.provisional_reason) as reason,
       (n.counts ->> 'listed')::bigint as listed, (n.counts ->> 'announced')::numeric as announced
     from warehouse.accounts a
     cross join lateral (
       select a.first_expected_day + n as day
       from generate_series(
         0, least(coalesce(a.last_expected_day, 'infinity'), (now() at time zone etl.known_zone(a.time_zone))::date - 1) - a.first_expected_day) n
       union all
       select e.day from etl.windows e
       where e.account_id = a.account_id and e.state <> 'failed' and e.day < coalesce(a.first_expected_day, 'infinity')
     ) d
     left join etl.windows w using (account_id, day)
     left join lateral (
       select jsonb_path_query_first(w.anomalies, '$[*] ? (@.code == "announced")') as counts) n on true`,
  );
}

/**
 * Reads an account's windows after its day in `etl.complete_through`: what lies before is one date. Who asks for
 * `complete_through_day` alone reads them up to the first day that isn't loaded, however long ago that was.
 */
async function createFreshness(db: Kysely<unknown>): Promise<void> {
  const complete = `w.account_id = a.account_id and (w.state = 'loaded' or w.dismissed_at is not null)`;
  await createView(
    db,
    'warehouse.freshness',
    'How far each account is loaded, except retired ones. Unique by account_id.',
    {
      account_id: 'Key in warehouse.accounts.',
      account: 'Name of the account.',
      complete_through_day:
        'Last day through which every day since the first expected one is confirmed, or dismissed; null if the first is neither.',
      last_synced_at: 'When a response was last applied or found equal; null if never.',
      open_days: 'Number of days up to yesterday that are missing, failed or provisional, and not dismissed.',
    },
    `select
       a.account_id, a.name as account,
       nullif(
         b.day - 1 + coalesce(
           -- Day by day, by the key: Postgres may sort all days to find the first.
           (select n from generate_series(1, y.day - b.day) n
            where (select true from etl.windows w where ${complete} and w.day = b.day + n limit 1) is null limit 1),
           greatest(y.day - b.day, 0) + 1),
         a.first_expected_day - 1) as complete_through_day,
       (select max(w.synced_at) from etl.windows w where w.account_id = a.account_id) as last_synced_at,
       coalesce(greatest(y.day - b.day - (
         select count(*) from etl.windows w where ${complete} and w.day > b.day and w.day <= y.day), 0), 0) as open_days
     from warehouse.accounts a
     left join etl.complete_through c using (account_id)
     cross join lateral (select coalesce(c.complete_through_day, a.first_expected_day - 1) as day) b
     cross join lateral (select (now() at time zone etl.known_zone(a.time_zone))::date - 1 as day) y
     where a.last_expected_day is null`,
  );
}

/**
 * The one home of *typical*. Each row begins with a window, so that conditions on account and day reach its key; each of its
 * references reads the windows of its days alone. Of three or four periods the one with the fewest and the one with the most
 * attempts are left out, the older of equal ones: a holiday is typical of nothing.
 */
async function createTypical(db: Kysely<unknown>): Promise<void> {
  const mean = (column: string) =>
    `case when count(p.${column}) = count(*) then avg(p.${column}) end as ${column}`;
  const known = (column: string) =>
    `case when count(w.${column}) = count(*) then sum(w.${column}) end as ${column}`;
  await createView(
    db,
    'etl.typical',
    'What is typical of each account and period: means over the two middle ones, by attempts, of the last four confirmed same weekdays or weeks with attempts among the eight before (three: the middle one; two: both), or the month before. Zeros, if four of the weekdays or weeks are confirmed without attempts and fewer than two with some. No row if neither is known.',
    {
      account_id: 'Account.',
      every: 'day, week or month.',
      last_day: 'Last day of the period.',
      first_days: 'First days of the periods that are typical.',
      last_days: 'Last days of these.',
      calling_days: 'Number of days of a month with attempts so far; null for a day or week.',
      typical_calling_days: 'Number of days of the month before with attempts; null for a day or week.',
      attempts: 'Mean of attempts.',
      busies: 'Mean of busies; null if one of the periods does not report it.',
      connects: 'Mean of connects; null if one of the periods does not report it.',
      live_answers: 'Mean of live_answers; null if one of the periods does not report it.',
      connect_rate_connects:
        'Mean of connects over the campaigns that report attempts, too; null if none does in one of the periods.',
      connect_rate_attempts: 'Mean of attempts over the campaigns that report connects, too.',
    },
    `select d.account_id, e.every, d.day as last_day, t.*
     from etl.windows d
     cross join (values ('day', 8, 2), ('week', 8, 2), ('month', 1, 1)) e (every, periods, needed)
     cross join lateral (
       select array_agg(p.first order by p.first) as first_days, array_agg(p.last order by p.first) as last_days,
         case e.every when 'month' then (
           select count(*) from etl.windows c
           where c.account_id = d.account_id and c.attempts > 0
             and c.day between date_trunc('month', d.day::timestamp)::date and d.day) end as calling_days,
         case e.every when 'month' then sum(p.calling_days) end as typical_calling_days,
         avg(p.attempts) as attempts, ${mean('busies')}, ${mean('connects')}, ${mean('live_answers')},
         ${mean('connect_rate_connects')}, ${mean('connect_rate_attempts')}
       from (
         select m.*, row_number() over (order by m.lowest = 1, m.attempts desc, m.last) as highest
         from (
           select k.*, row_number() over (order by k.attempts, k.last) as lowest, count(*) over () as chosen
           from (
             select r.first, r.last, s.*, count(*) filter (where s.attempts > 0) over () as calling,
               row_number() over (partition by s.attempts > 0 order by r.last desc) as place
             from (
               select
                 case e.every when 'month' then (date_trunc('month', d.day::timestamp) - interval '1 month')::date
                   when 'week' then d.day - 7 * n - 6 else d.day - 7 * n end as first,
                 case e.every when 'month' then date_trunc('month', d.day::timestamp)::date - 1 else d.day - 7 * n end as last
               from (values (1), (2), (3), (4), (5), (6), (7), (8)) n (n)
               where n <= e.periods) r
             cross join lateral (
               select count(*) as days, count(*) filter (where w.attempts > 0) as calling_days,
                 ${known('attempts')}, ${known('busies')}, ${known('connects')}, ${known('live_answers')},
                 sum(w.connect_rate_connects) as connect_rate_connects,
                 sum(w.connect_rate_attempts) as connect_rate_attempts
               from etl.windows w
               where w.account_id = d.account_id and w.day between r.first and r.last and w.state = 'loaded') s
             where s.days = r.last - r.first + 1 and s.attempts is not null) k
           where k.place <= 4 and (k.attempts > 0) = (k.calling >= e.needed)) m
         where m.attempts > 0 or m.chosen = 4) p
       where p.chosen < 3 or (p.lowest > 1 and p.highest > 1)
       having count(*) > 0) t`,
  );
}

/** Day by day, by their key: joined at once, Postgres computes what is typical of all of history. */
async function createAccountPerformance(db: Kysely<unknown>): Promise<void> {
  await createView(
    db,
    'warehouse.account_performance',
    'Sums of each loaded day of an account, compared with its typical weekday. Unique by account_id, day.',
    {
      account_id: 'Key in warehouse.accounts.',
      account: 'Name of the account.',
      label: 'Label for people.',
      time_zone: 'IANA zone of its days.',
      day: "Day in the account's zone.",
      listed_campaigns: 'Number of campaigns on that day.',
      active_campaigns: 'Number of campaigns with attempts.',
      attempts_unreported_campaigns: 'Number of campaigns that do not report attempts.',
      attempts: 'Sum of attempts; 0 without campaigns, null if not reported.',
      busies: 'Sum of busies; 0 without campaigns, null if not reported.',
      connects: 'Sum of connects; 0 without campaigns, null if not reported.',
      live_answers: 'Sum of live_answers; 0 without campaigns, null if not reported.',
      connect_rate: 'connects per attempt, as in account_days.',
      live_answer_rate: 'live_answers per attempt, as in account_days.',
      busy_rate: 'busies per attempt, as in account_days.',
      connect_rate_connects: 'connects that connect_rate counts.',
      connect_rate_attempts: 'attempts that connect_rate counts.',
      live_answer_rate_live_answers: 'live_answers that live_answer_rate counts.',
      live_answer_rate_attempts: 'attempts that live_answer_rate counts.',
      busy_rate_busies: 'busies that busy_rate counts.',
      busy_rate_attempts: 'attempts that busy_rate counts.',
      provisional: 'True if the day is not confirmed yet.',
      provisional_code: 'Code of the first reason why it is not confirmed; null if it is.',
      provisional_reason: 'Why it is not confirmed; null if it is.',
      first_loaded_at: 'When the day was first loaded.',
      confirmed_at: 'When the day became confirmed; null if it is not.',
      synced_at: 'When a response was last applied or found equal.',
      updated_at: 'When anything of the day last changed.',
      typical_attempts:
        'Typical attempts of this weekday: the mean of the two middle ones of its last four confirmed days with attempts within eight weeks (three: the middle one; two: both); 0 if four are confirmed without attempts; null if neither is known. May be summed over accounts.',
      typical_connect_rate:
        'Connects divided by attempts of the same one or two days; null if one of them does not report both.',
      attempts_change_ratio:
        'attempts against typical_attempts: 0.25 is a quarter more; null if provisional, or if nothing or 0 is typical.',
      connect_rate_change_points:
        'connect_rate minus typical_connect_rate, in points: 3.1 is 3.1 points; null if provisional, or without either rate.',
    },
    `select
       d.account_id, a.name as account, a.label, a.time_zone,
       d.day, d.listed_campaigns, d.active_campaigns, d.attempts_unreported_campaigns,
       d.attempts, d.busies, d.connects, d.live_answers,
       d.connect_rate, d.live_answer_rate, d.busy_rate,
       d.connect_rate_connects, d.connect_rate_attempts, d.live_answer_rate_live_answers, d.live_answer_rate_attempts,
       d.busy_rate_busies, d.busy_rate_attempts, d.provisional, d.provisional_code, d.provisional_reason,
       d.first_loaded_at, d.confirmed_at, d.synced_at, d.updated_at,
       t.attempts as typical_attempts,
       t.connect_rate as typical_connect_rate,
       case when not d.provisional then d.attempts / nullif(t.attempts, 0) - 1 end as attempts_change_ratio,
       case when not d.provisional then 100 * (d.connect_rate - t.connect_rate) end as connect_rate_change_points
     from warehouse.account_days d
     join warehouse.accounts a using (account_id)
     left join lateral (
       select p.attempts, p.connect_rate_connects / nullif(p.connect_rate_attempts, 0) as connect_rate
       from etl.typical p
       where p.account_id = d.account_id and p.every = 'day' and p.last_day = d.day
       offset 0
     ) t on true`,
  );
}

/** Looks at the mails of each changed day alone, by their key: so a condition on the account reaches all. */
async function createRestatedDays(db: Kysely<unknown>): Promise<void> {
  await createView(
    db,
    'warehouse.restated_days',
    'Changes of finished days, a row for each. Unique by account_id, day, restated_at.',
    {
      account_id: 'Key in warehouse.accounts.',
      account: 'Name of the account.',
      day: "Day in the account's zone.",
      restated_at: 'When the day changed.',
      changed_campaigns: 'Number of campaigns that changed, appeared, returned or were withdrawn.',
      attempts_before: 'attempts before; 0 without campaigns, null if not reported.',
      attempts_after: 'attempts after; 0 without campaigns, null if not reported.',
      connects_before: 'connects before; 0 without campaigns, null if not reported.',
      connects_after: 'connects after; 0 without campaigns, null if not reported.',
      mailed: 'True if a digest with the figures before was mailed.',
    },
    `select p.account_id, a.name as account, p.day, p.restated_at, p.changed_campaigns,
       p.attempts_before, p.attempts_after, p.connects_before, p.connects_after,
       exists (
         select from etl.mailed_periods m
         where m.account_id = p.account_id
           and (m.every, m.day) in (
             ('day', p.day),
             ('week', date_trunc('week', p.day::timestamp)::date + 6),
             ('month', (date_trunc('month', p.day::timestamp) + interval '1 month')::date - 1))
           and m.decided_at > p.loaded_at and m.decided_at < p.restated_at
           and p.day <> all (m.lacking_days)
           and exists (
             select from etl.deliveries e where e.mail_id = m.mail_id and e.state in ('sent', 'written'))) as mailed
     from etl.past_account_days p
     join warehouse.accounts a using (account_id)`,
  );
}

async function createMails(db: Kysely<unknown>): Promise<void> {
  await createView(
    db,
    'warehouse.mails',
    'Mails of digests. warehouse.mailed_periods has the figures of each. Unique by mail_id.',
    {
      mail_id: 'Key of the mail.',
      digest: 'Name of the digest.',
      period: 'day, week (from Monday) or month.',
      built_at: 'When its figures were read.',
      subject: 'Its subject; null if an account in it was erased.',
      recipients: 'Number of recipients.',
      delivered: 'Number of messages that the mail server accepted, or files written without one.',
      updated_at: 'When it was built, or a delivery of it last changed.',
    },
    `select m.mail_id, m.name as digest, m.every as period, m.built_at, m.subject, d.recipients, d.delivered,
       greatest(m.built_at, d.changed_at) as updated_at
     from etl.mails m
     cross join lateral (
       select count(*) as recipients, count(*) filter (where state in ('sent', 'written')) as delivered,
         max(changed_at) as changed_at
       from etl.deliveries e where e.mail_id = m.mail_id) d`,
  );
}

async function createMailedPeriods(db: Kysely<unknown>): Promise<void> {
  await createView(
    db,
    'warehouse.mailed_periods',
    'The figures of each mail: a row for each period and account. A later mail of the same period corrects it. Whether anybody got it is in warehouse.mails. Unique by mail_id, last_day, account_id.',
    {
      mail_id: 'Key in warehouse.mails.',
      digest: 'Name of the digest.',
      period: 'day, week (from Monday) or month.',
      first_day: 'First day of the period.',
      last_day: 'Last day of the period.',
      account_id: 'Key in warehouse.accounts; null if the account was erased.',
      account: 'Name of the account; null if it was erased.',
      state:
        'whole: all of its days were confirmed; provisional: one was not; incomplete: one was missing; absent: all were; erased: the account was.',
      missing_days: 'Number of days that were expected and missing, or not over.',
      is_first: 'True if no earlier mail has the period of the account.',
      attempts: 'attempts that it reports; null if not reported, or the account was erased.',
      connects: 'connects that it reports; null if not reported, or the account was erased.',
      connect_rate_connects: 'connects of campaigns that also report attempts.',
      connect_rate_attempts: 'attempts of campaigns that also report connects.',
    },
    `select p.mail_id, p.name as digest, p.every as period,
       date_trunc(p.every, p.day::timestamp)::date as first_day, p.day as last_day, p.account_id, a.name as account,
       p.state, cardinality(p.lacking_days) as missing_days,
       not exists (
         select from etl.mailed_periods e
         where e.name = p.name and e.every = p.every and e.day = p.day and e.account_id = p.account_id
           and e.mail_id < p.mail_id) as is_first,
       p.attempts, p.connects, p.connect_rate_connects, p.connect_rate_attempts
     from etl.mailed_periods p
     left join warehouse.accounts a using (account_id)
     where p.mail_id is not null`,
  );
}

async function createDeliveries(db: Kysely<unknown>): Promise<void> {
  await createView(
    db,
    'warehouse.deliveries',
    'Messages of mails, one for each recipient, and what became of them. Unique by delivery_id.',
    {
      delivery_id: 'Key of the delivery.',
      mail_id: 'Key in warehouse.mails.',
      recipient: 'Mail address.',
      message_id: 'Message-ID: the same on every attempt.',
      delivery_state:
        'pending; sending; sent: accepted by the mail server; written: to a folder; failed: not taken, will be retried; given_up: failed on seven run dates, or skipped by hand; unknown: perhaps sent, not repeated.',
      delivery_attempts: 'Number of delivery attempts.',
      reply: 'Last reply of the mail server; null if none.',
      updated_at: 'When the state last changed.',
    },
    `select delivery_id, mail_id, recipient, message_id, state as delivery_state, attempts as delivery_attempts, reply,
       changed_at as updated_at
     from etl.deliveries`,
  );
}

/** The summary of another version may lack what this one counts. */
async function createRuns(db: Kysely<unknown>): Promise<void> {
  const counted = (...path: readonly string[]) => `(r.summary #>> '{${path.join()}}')::bigint`;
  await createView(
    db,
    'warehouse.runs',
    'Runs: when each ran, how it ended, what it loaded, and its first error. Unique by run_id.',
    {
      run_id: 'Key of the run.',
      kind: 'nightly, dated, backfill, accept, digest, replay or forget.',
      command: 'Command and dates that started it.',
      run_date: 'Its date in TIME_ZONE; a retry has that of the first run.',
      scheduled_at: 'Scheduled time; null if started by hand.',
      number: 'Number among the runs of its scheduled time: later ones retry or restart the first.',
      started_at: 'When it started.',
      finished_at: 'When it ended; null while it runs, or if it was killed.',
      outcome: 'done, partial, failed or interrupted; null while it runs, or if it was killed.',
      exit_code: 'Exit code (docs/commands.md); null while it runs, or if it was killed.',
      days_synced:
        'Number of days of accounts that it loaded, those that it fetched again included; like all counts, null after 400 days.',
      days_new: 'Number of these that were loaded for the first time.',
      days_provisional: 'Number of these that are not confirmed.',
      days_held: 'Number of newer responses that it held.',
      days_failed: 'Number of days of accounts that failed.',
      campaigns_restated: 'Number of campaigns that changed on finished days.',
      mails_sent: 'Number of messages that the mail server accepted, or files written without one.',
      first_error_code: 'Code of its first error (docs/operations.md); null if none.',
      first_error: 'What happened; null if no error.',
      first_error_account: 'Account of the first error; null if none.',
      errors: 'Number of errors.',
      updated_at: 'When it started, or ended.',
    },
    `select r.run_id, r.kind, r.command, r.run_date, r.scheduled_at, r.number, r.started_at, r.finished_at, r.outcome,
       r.exit_code, ${counted('windows', 'loaded')} as days_synced, ${counted('windows', 'new')} as days_new,
       ${counted('windows', 'provisional')} as days_provisional, ${counted('windows', 'held')} as days_held,
       ${counted('windows', 'failed')} as days_failed, ${counted('rows', 'restated')} as campaigns_restated,
       ${counted('deliveries', 'sent')} + ${counted('deliveries', 'written')} as mails_sent,
       coalesce(r.summary ->> 'endedCode', f.first ->> 'code') as first_error_code,
       coalesce(r.summary ->> 'ended', f.first ->> 'detail') as first_error,
       a.name as first_error_account, f.errors, greatest(r.started_at, r.finished_at) as updated_at
     from etl.runs r
     left join lateral (
       select (coalesce(sum((cause ->> 'errors')::integer), 0) + (r.summary ->> 'ended' is not null)::integer)::integer as errors,
         r.summary #> '{failures,0}' as first
       from jsonb_array_elements(r.summary -> 'failures') cause) f on r.summary is not null
     left join warehouse.accounts a on r.summary ->> 'ended' is null and a.name = f.first #>> '{places,0,account}'`,
  );
}

async function createWalkStates(db: Kysely<unknown>): Promise<void> {
  await createView(
    db,
    'etl.walk_states',
    'How the walks over the client list of each account that has not retired ended.',
    {
      account_id: 'Key of the account.',
      account: 'Name of the account.',
      verdict: 'How the last walk ended; null before the first.',
      run_date: 'Run date of that walk.',
      reason: 'Why it is not complete; null if it is.',
      error_code: 'Code of the error that ended it; null if none did.',
      error_status: 'HTTP status or code of the connection of that error; null if it has none.',
      signs: 'What the service said in that walk that nobody accepted.',
      complete_at: 'When the last complete walk began; null if there was none.',
      complete_run_date: 'Run date of the last complete walk.',
      incomplete_since:
        'Run date of the first walk since then that was not complete; null if there was none.',
      incomplete_run_dates:
        'Number of run dates with walks since the last complete one, or after the first of all.',
      implausible_missing:
        'How many clients the last complete walk missed, if they are over half of the list; otherwise 0.',
      implausible_since:
        'Run date of the first complete walk in a row that missed so many; null if the last one did not.',
    },
    `select a.account_id, a.name as account, l.verdict, l.run_date, l.reason, l.error_code, l.error_status, coalesce(l.signs, '{}') as signs,
       c.started_at as complete_at, c.run_date as complete_run_date, i.since as incomplete_since,
       i.run_dates as incomplete_run_dates, coalesce(c.implausible_missing, 0) as implausible_missing, u.since as implausible_since
     from warehouse.accounts a
     left join lateral (
       select w.verdict, w.run_id, w.run_date, w.reason, w.error_code, w.error_status, w.signs from etl.walks w
       where w.account_id = a.account_id and w.verdict is not null
       order by w.walk_id desc limit 1) l on true
     left join lateral (
       select w.walk_id, w.started_at, w.run_date, w.implausible_missing from etl.walks w
       where w.account_id = a.account_id and w.verdict = 'complete'
       order by w.walk_id desc limit 1) c on true
     left join lateral (
       select min(w.run_date) as since,
         count(distinct w.run_date) - (c.walk_id is null and count(*) > 0)::integer as run_dates
       from etl.walks w
       where w.account_id = a.account_id and w.verdict in ('changed', 'remarked', 'incomplete')
         and w.walk_id > coalesce(c.walk_id, 0)) i on true
     left join lateral (
       select min(w.run_date) as since from etl.walks w
       where c.implausible_missing > 0 and w.account_id = a.account_id and w.implausible_missing > 0
         and w.walk_id > coalesce((
           select max(b.walk_id) from etl.walks b
           where b.account_id = a.account_id and b.verdict = 'complete' and b.implausible_missing = 0), 0)) u on true
     where a.last_expected_day is null`,
  );
}

/** Over 50 accounts share a null as their account: what /metrics serves must not grow with their number. */
async function createMetricSamples(db: Kysely<unknown>): Promise<void> {
  await createView(
    db,
    'etl.metric_samples',
    'Samples of the metrics that the warehouse holds, under the names that /metrics serves.',
    {
      metric: 'Name of the metric, without callsheet_.',
      labels: 'Labels, as a JSON object.',
      value: 'Its value; times are Unix seconds.',
    },
    `with last as (
       select started_at, finished_at, exit_code from etl.runs
       where kind = 'nightly' and finished_at is not null order by run_id desc limit 1),
     success as (
       select finished_at from etl.runs
       where kind = 'nightly' and outcome = 'done' order by run_id desc limit 1),
     accounts as (
       select account_id, case when count(*) over () <= 50 then name end as account
       from warehouse.accounts where last_expected_day is null),
     samples (metric, labels, value) as (
       select 'last_success_timestamp_seconds', '{}'::json, extract(epoch from finished_at) from success
       union all
       select 'last_run_duration_seconds', '{}', extract(epoch from finished_at - started_at) from last
       union all
       select 'last_run_exit_code', '{}', exit_code from last
       union all
       select 'rejects', json_build_object('account', account), coalesce(sum(records), 0)
       from accounts a left join etl.rejects r on r.account_id = a.account_id and r.current
       group by account
       union all
       select 'requests',
         json_build_object('operation', operation, 'status', coalesce(status::text, 'none'), 'outcome', decision),
         count(*)
       from etl.responses where fetched_at > now() - interval '1 day'
       group by operation, status, decision)
     select metric, json_strip_nulls(labels) as labels, value::float8 as value from samples where value is not null`,
  );
}
