import type { Kysely } from 'kysely';
import { createTable, execute } from './support/commented.ts';
import { reasonCode } from './support/reason-code.ts';

/** Creates the ledger of windows and the walks over client lists. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createWindows(db);
  await createAccepted(db);
  await createWalks(db);
}

/** Null before the day is loaded, and of a count that none of the listed campaigns reports; 0 if none is listed. */
const sums = {
  listed_campaigns: ['bigint', 'Number of current campaigns on that day.'],
  active_campaigns: ['bigint', 'Number of these with attempts.'],
  attempts_unreported_campaigns: ['bigint', 'Number of these that do not report attempts.'],
  attempts: ['numeric', 'Sum of attempts over the campaigns that report it.'],
  busies: ['numeric', 'Sum of busies over the campaigns that report it.'],
  connects: ['numeric', 'Sum of connects over the campaigns that report it.'],
  live_answers: ['numeric', 'Sum of live_answers over the campaigns that report it.'],
  connect_rate_connects: ['numeric', 'connects of the campaigns that report attempts, too.'],
  connect_rate_attempts: ['numeric', 'attempts of the campaigns that report connects, too.'],
  live_answer_rate_live_answers: ['numeric', 'live_answers of the campaigns that report attempts, too.'],
  live_answer_rate_attempts: ['numeric', 'attempts of the campaigns that report live_answers, too.'],
  busy_rate_busies: ['numeric', 'busies of the campaigns that report attempts, too.'],
  busy_rate_attempts: ['numeric', 'attempts of the campaigns that report busies, too.'],
} as const;

async function createWindows(db: Kysely<unknown>): Promise<void> {
  await createTable(
    db,
    'etl.windows',
    'The ledger: what is known of each window, an account on a day, and what it sums to. No row: missing. warehouse.account_days shows the days that are loaded.',
    {
      account_id: ['integer not null references warehouse.accounts', 'Account.'],
      day: ['date not null', 'Calendar day in the zone of the account.'],
      state: [
        `text not null check (state in ('loaded', 'provisional', 'failed'))`,
        'loaded: confirmed; provisional: loaded and not confirmed, see provisional_reason; failed: attempted and never loaded, or, without failed_at, never attempted and dismissed.',
      ],
      fetched_at: [
        'timestamptz',
        'Clock of the database just before the request of the newest response that was decided on. An older response is stale.',
      ],
      synced_at: ['timestamptz', 'When a response was last applied or found the same.'],
      first_loaded_at: ['timestamptz', 'When the day was first loaded; null if it never was.'],
      confirmed_at: ['timestamptz', 'When the day became confirmed; null if it is not.'],
      updated_at: [
        'timestamptz',
        'When anything of the day last changed: its campaigns, its sums, its state, or whether a newer response is held.',
      ],
      ...sums,
      run_id: ['bigint references etl.runs', 'Run that last applied a response.'],
      content_hash: ['text', 'SHA-256 over ids and counts of the current response.'],
      synced_run_date: ['date', 'Run date of the last response that was applied or found the same.'],
      same_since_run_date: [
        'date',
        'Run date on which the current counts were first reported, for a day that was over.',
      ],
      settled: [
        'boolean not null default false',
        'Whether the day is confirmed, and its counts were the same on two run dates, or no later run fetches it by itself.',
      ],
      day_ended: ['boolean not null default true', 'Whether the day was over when it was fetched.'],
      unreported: [
        `text[] not null default '{}'`,
        'Counts (attempts, busies, connects, liveAnswers) that over half of the current campaigns leave out.',
      ],
      anomalies: [
        `jsonb not null default '[]'`,
        'The anomalies of the current response. confirmedBy: what says that its figures stand nevertheless (day: a person accepted the day; always: a person accepted the sign; repetition: a later run date returned the same; figures: they were confirmed without it); null if nothing does.',
      ],
      provisional_code: [
        `text generated always as (
          case when state = 'provisional' then
            case when day_ended
              then coalesce(
                ${reasonCode(`jsonb_path_query_first(anomalies, '$[*] ? (@.confirmedBy == null).code') #>> '{}'`)}, 'NOT_CONFIRMED')
              else 'DAY_NOT_OVER' end
          end) stored`,
        'Code of the first anomaly that makes the day provisional, DAY_NOT_OVER or NOT_CONFIRMED, as docs/operations.md lists them; null if it is not provisional.',
      ],
      provisional_reason: ['text', 'Why the day is provisional; null if it is not.'],
      failed_at: [
        'timestamptz',
        'When the last attempt that failed was first requested; null if it did not fail.',
      ],
      error: ['text', 'Why the last attempt failed; null if it did not.'],
      error_code: ['text', 'Code of that error, as docs/operations.md lists them; null if it did not fail.'],
      error_status: ['text', 'HTTP status or code of the connection of that error; null if it has none.'],
      error_sign: ['text', 'All that an answer without records said; null if the error is another one.'],
      failed_run_date: ['date', 'Run date of the last attempt that failed; null if it did not fail.'],
      dismissed_at: [
        'timestamptz',
        'When somebody dismissed the alert that the day is not loaded; null if nobody did, and once it is.',
      ],
      held_hash: ['text', 'content_hash of a response that is held; null if none is.'],
      held_code: [
        'text',
        'The first sign against that response: emptied, halved, zeroed or unreported, or a code of anomalies; null if none is held.',
      ],
      held_reason: [
        'text',
        'Why that response is held, and what it has instead of what is loaded; null if none is.',
      ],
      held_since: ['timestamptz', 'Since when that response is held.'],
    },
    ['primary key (account_id, day)'],
  );
  await execute(
    db,
    // Finds the days that alerts and page show, and, however old, those that a person accepts.
    `create index windows_marked on etl.windows (account_id, day)
     where not (state = 'loaded' and settled and day_ended and held_hash is null and error_code is null and anomalies = '[]')`,
    'create index windows_by_update on etl.windows (updated_at)',
    // Finds when an account was last synced.
    'create index windows_by_sync on etl.windows (account_id, synced_at)',
    // Days are loaded one by one, so a block holds few of them.
    'create index windows_by_day on etl.windows using brin (day) with (pages_per_range = 16, autosummarize = on)',
  );
}

async function createAccepted(db: Kysely<unknown>): Promise<void> {
  await createTable(
    db,
    'etl.accepted',
    'What a person said once, by accept --always, is the way of the service. It counts from then on, and until it is taken back.',
    {
      accepted_id: ['bigint generated always as identity primary key', 'Key.'],
      kind: [
        `text not null check (kind in ('remark', 'empty', 'anomaly'))`,
        'remark: stands beside records; empty: all that an answer without records says, which is an empty list then; anomaly: speaks against figures. None counts for another kind.',
      ],
      operation: ['text not null', 'Operation of the service.'],
      sign: ['text not null', 'The sign. * stands for any value of a field.'],
      service: ['text not null', 'SERVICE_BASE_URL: another service is asked about anew.'],
      account_id: ['integer references warehouse.accounts', 'Account that it is of; null for all.'],
      accepted_at: ['timestamptz not null default now()', 'Since when it counts.'],
    },
    ['unique nulls not distinct (kind, operation, sign, service, account_id)'],
  );
}

async function createWalks(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'etl.walks', 'Walks over the client pages of an account.', {
    walk_id: ['bigint generated always as identity primary key', 'Key of the walk.'],
    run_id: ['bigint references etl.runs', 'Run that walked.'],
    account_id: ['integer not null references warehouse.accounts', 'Account whose clients were listed.'],
    run_date: ['date not null', 'Run date of the run.'],
    day: ['date not null', 'Day, in the zone of the account, on which balances were reported.'],
    started_at: ['timestamptz not null', 'Clock of the database before the first request.'],
    decided_at: ['timestamptz', 'When it was recorded as complete; null where it was not.'],
    verdict: [
      `text check (verdict in ('complete', 'changed', 'remarked', 'incomplete'))`,
      'complete: every page from first to last was seen; changed: clients came or went meanwhile; remarked: a page says something that nobody accepted; incomplete: a page failed, is short, or is not the requested one. Null while it is in progress, or if it was cut off.',
    ],
    reason: ['text', 'Why it is not complete; null for a complete walk, and for one that was cut off.'],
    error_code: [
      'text',
      'Code of the error that ended it, as docs/operations.md lists them; null where none did.',
    ],
    error_status: ['text', 'HTTP status or code of the connection of that error; null if it has none.'],
    signs: [
      `text[] not null default '{}'`,
      'What the service said that nobody accepted: beside its records or, where a page had none, in their place.',
    ],
    implausible_missing: [
      'integer not null default 0',
      'How many clients a complete walk missed, if they are over half of the list: then nobody is absent. Otherwise 0.',
    ],
  });
  await execute(db, 'create index walks_of_account on etl.walks (account_id, walk_id)');
  await createTable(
    db,
    'etl.missed_clients',
    'Clients that the last complete walk missed, and that were there before. Missed on a second run date, they are absent.',
    {
      account_id: ['integer not null', 'Account whose list was walked.'],
      client_id: ['bigint not null', 'clientid of the service.'],
      missed_run_date: ['date not null', 'Run date of the first complete walk without the client.'],
      missed_at: ['timestamptz not null', 'When that walk began.'],
      absent_decided_at: [
        'timestamptz',
        'Start of the second walk that missed the client, from which on it is absent; null before.',
      ],
    },
    [
      'primary key (account_id, client_id)',
      'foreign key (account_id, client_id) references warehouse.clients',
    ],
  );
}
