import type { FilledSite } from './site.ts';

/** The start of a run that began so long ago, or at 06:30 UTC if that was since: it would be a scheduled time that was missed. */
const begun = (ago: string) => `(
  select case when at between now() - interval '${ago}' and now() then at else now() - interval '${ago}' end
  from (select (date_trunc('day', now() at time zone 'UTC') + interval '6 h 30 min') at time zone 'UTC' as at) scheduled)`;

/** More than thirteen weeks of accounts without any problem, and the run that loaded their last day. */
export async function fill(site: Pick<FilledSite, 'query'>, accounts: readonly string[]): Promise<void> {
  await site.query(
    `with made as (
       insert into warehouse.accounts (name, label, time_zone, first_expected_day)
       select name, name, 'UTC', (now() at time zone 'UTC')::date - 100 from unnest($1::text[]) name returning account_id, first_expected_day),
     run as (
       insert into etl.runs (kind, command, run_date, started_at, finished_at, host, process_id, outcome, exit_code, summary)
       values ('nightly', 'schedule', (now() at time zone 'UTC')::date, ${begun('41 seconds')}, ${begun('41 seconds')} + interval '41 seconds', 'here', 1, 'done', 0, $2)),
     through as (
       insert into etl.complete_through (account_id, complete_through_day)
       select account_id, (now() at time zone 'UTC')::date - 1 from made),
     walks as (
       insert into etl.walks (account_id, run_date, day, started_at, decided_at, verdict)
       select account_id, (now() at time zone 'UTC')::date, (now() at time zone 'UTC')::date, now(), now(), 'complete' from made),
     days as (select account_id, d::date as day from made, generate_series(first_expected_day, (now() at time zone 'UTC')::date - 1, '1 day') d)
     insert into etl.windows
       (account_id, day, state, synced_at, fetched_at, synced_run_date, same_since_run_date, settled, listed_campaigns, attempts, busies, connects, live_answers)
     select account_id, day, 'loaded', now(), now(), day + 2, day + 1, true, 20, 12345 + account_id * 7, 2345, 6789, 4321 from days`,
    [
      accounts,
      {
        clients: { pages: 7, listed: 620, appeared: 3, changed: 0, incompleteWalks: 0 },
        windows: { loaded: accounts.length, healed: 0, held: 0, failed: 0, stale: 0 },
        rows: { appeared: 20, updated: 2, withdrawn: 1, restated: 3, unchanged: 57 },
        rejects: 0,
        digests: { built: 1, skipped: 0 },
        deliveries: { sent: 2, written: 0, failed: 0, given_up: 0, unknown: 0 },
        failures: [],
        steps: [
          { step: 'clients', ms: 1_912 },
          { step: 'windows', ms: 38_204 },
          { step: 'mail', ms: 640 },
        ],
      },
    ],
  );
}

export const offices = (count: number) => Array.from({ length: count }, (_, index) => `office ${index}`);

/** The service was down last night, for all accounts. */
export async function addOutage(site: Pick<FilledSite, 'query'>): Promise<void> {
  await site.query(
    `update etl.windows set state = 'failed', synced_at = null, failed_at = now(), error = 'the service responded with status 503: Down for maintenance.',
       error_code = 'SERVICE_UNAVAILABLE', error_status = '503', listed_campaigns = null, attempts = null, settled = false
     where day = (now() at time zone 'UTC')::date - 1`,
  );
}

/** Another nightly run, which holds the run lock as long as the connection of the site. */
export async function addRunning(site: Pick<FilledSite, 'query'>): Promise<void> {
  await site.query(
    `insert into etl.runs (kind, command, run_date, host, process_id) values ('nightly', 'schedule', now(), 'here', 1)`,
  );
  await site.query('begin');
  await site.query('lock table etl.run_lock in exclusive mode');
}

/** The digest of yesterday, sent to two recipients at 06:31 UTC. */
export async function addDigest(site: FilledSite): Promise<void> {
  await site.query(
    `with digest as (
       insert into etl.mails (name, every, number, day, subject, mime, built_at)
       values ('Campaigns', 'day', 1, (now() at time zone 'UTC')::date - 1, 'x', 'x', now()) returning mail_id)
     insert into etl.deliveries (mail_id, recipient, message_id, state, changed_at)
     select mail_id, recipient, recipient, 'sent',
       (date_trunc('day', now() at time zone 'UTC') + interval '6 h 31 min') at time zone 'UTC'
     from digest, unnest(array['ana@example.com', 'ben@example.com']) r (recipient)`,
  );
}

/** A backfill, by hand. */
export async function addBackfill(site: FilledSite): Promise<void> {
  await site.query(
    `insert into etl.runs (kind, command, exclusive, run_date, started_at, finished_at, host, process_id, outcome, exit_code, summary)
     values ('backfill', 'backfill', false, (now() at time zone 'UTC')::date, now() - interval '2 h', now() - interval '1 h', 'here', 2, 'done', 0, '{"windows": {"loaded": 90}}')`,
  );
}

/** Every kind of problem, with the account `name`. */
export async function addProblems(site: Pick<FilledSite, 'query'>, name: string): Promise<void> {
  const change = (set: string, ago: number) =>
    site.query(
      `update etl.windows set ${set} where day = (now() at time zone 'UTC')::date - $2::int
       and account_id = (select account_id from warehouse.accounts where name = $1)`,
      [name, ago],
    );
  const refused = 'the service refuses the session token (401): put a new one into SIDTOKEN';
  await change(
    `state = 'failed', synced_at = null, failed_at = now(), error = '${refused}', error_code = 'TOKEN_REFUSED', error_status = '401'`,
    2,
  );
  await change(`state = 'provisional', day_ended = false, provisional_reason = 'the day was not over'`, 3);
  const because = '40 attempts instead of 12,345, 1 campaign instead of 20';
  await change(`held_hash = 'abc', held_code = 'halved', held_reason = '${because}', held_since = now()`, 6);
  await site.query(`update warehouse.accounts set label = 'Coast & Sons' where name = $1`, [name]);
  await site.query(
    `update etl.windows set attempts = 0, busies = 0, connects = 0, live_answers = 0, state = 'provisional',
       anomalies = '[{"code": "no_calls", "confirmedBy": null}]', provisional_reason = 'no calls, on a weekday that usually has some'
     where day = (now() at time zone 'UTC')::date - 9
     and account_id = (select account_id from warehouse.accounts where name = $1)`,
    [name],
  );
  for (const ago of [1, 4, 5]) await change('settled = false', ago);
  await site.query(
    `delete from etl.windows where day in ((now() at time zone 'UTC')::date - 30, (now() at time zone 'UTC')::date - 31)
     and account_id = (select account_id from warehouse.accounts where name = $1)`,
    [name],
  );
  await site.query(
    'delete from etl.complete_through where account_id = (select account_id from warehouse.accounts where name = $1)',
    [name],
  );
  await site.query(
    `with restated as (
       insert into etl.campaign_days (account_id, day, callset_id, campaign, attempts, connects, loaded_at, restated_at)
       select account_id, (now() at time zone 'UTC')::date - 12, 4711, 'Spring <offers>', 1200, 40, now(), now()
       from warehouse.accounts where name = $1 returning account_id, day, callset_id)
     insert into warehouse.campaign_day_restatements (account_id, day, callset_id, restated_at, reason, attempts_before, connects_before, loaded_at)
     select account_id, day, callset_id, now(), 'changed', 1000, 40, now() from restated`,
    [name],
  );
  await site.query(
    `insert into etl.rejects (account_id, operation, day, payload, payload_sha256, reason, first_rejected_at, run_dates)
     select account_id, 'campaignSummary', (now() at time zone 'UTC')::date - 1,
       '{"callsetid":9007199254740993,"campaign":"<b>Spring</b>","attempts":12}', sha256('1'), 'callsetid is beyond 2^53',
       now() - interval '2 days', 3
     from warehouse.accounts where name = $1`,
    [name],
  );
  await site.query(
    `with digest as (
       insert into etl.mails (name, every, number, day, subject, mime, built_at)
       values ('Campaigns', 'day', 1, (now() at time zone 'UTC')::date - 1, 'x', 'x', now()) returning mail_id)
     insert into etl.deliveries (mail_id, recipient, message_id, state, reply, step, code)
     select mail_id, recipient, recipient, state, reply, step, code from digest, (values
       ('ana@example.com', 'sent', '250 ok', null, null),
       ('ben@example.com', 'given_up', '550 5.1.1 no such user here', 'recipient', 550),
       ('cora@example.com', 'failed', '451 try again later', 'message', 451),
       ('dan@example.com', 'unknown', 'the run ended while sending', null, null)
     ) as d (recipient, state, reply, step, code)`,
  );
  await site.query(
    `insert into etl.runs (kind, command, run_date, started_at, finished_at, host, process_id, outcome, exit_code, summary)
     values ('nightly', 'run', (now() at time zone 'UTC')::date, ${begun('3 min 20 s')}, ${begun('3 min 20 s')} + interval '3 min 20 s', 'here', 1, 'partial', 77, $1)`,
    [
      {
        windows: { loaded: 2, healed: 1, held: 1, failed: 2, stale: 0 },
        rows: { appeared: 40, unchanged: 12 },
        rejects: 1,
        failures: [
          {
            code: 'TOKEN_REFUSED',
            detail: refused,
            errors: 2,
            accounts: 1,
            days: 2,
            places: ['2026-11-19', '2026-11-18'].map((day) => ({ step: 'windows', account: name, day })),
          },
        ],
      },
    ],
  );
  await site.query(
    `insert into etl.walks (account_id, run_date, day, started_at, verdict, reason)
     select account_id, (now() at time zone 'UTC')::date, (now() at time zone 'UTC')::date, now(), 'incomplete', 'page 3 is page 2 again'
     from warehouse.accounts where name = $1`,
    [name],
  );
  await site.query(
    `insert into etl.responses (account_id, operation, request, fetched_at, status, decision)
     select account_id, 'campaignSummary', '{}', now(), status, decision
     from warehouse.accounts, (values (200, 'loaded'), (200, 'loaded'), (401, 'discarded'), (null, 'discarded')) f (status, decision)
     where name = $1`,
    [name],
  );
}
