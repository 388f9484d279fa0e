import { type Kysely, sql } from 'kysely';

/** What the job did, and what it knows of each window. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table etl.runs (
      run_id bigint generated always as identity primary key,
      command text not null,
      night date not null,
      slot timestamptz unique,
      started_at timestamptz not null default clock_timestamp(),
      finished_at timestamptz,
      host text not null,
      process_id integer not null,
      outcome text check (outcome in ('done', 'partial', 'failed', 'interrupted')),
      exit_code integer,
      summary jsonb
    );
    comment on table etl.runs is 'Every run of the job.';
    comment on column etl.runs.run_id is 'Key of the run.';
    comment on column etl.runs.command is 'Command and dates that started it.';
    comment on column etl.runs.night is 'Its own date in TIME_ZONE.';
    comment on column etl.runs.slot is 'Slot of the schedule that it served; null for a run by hand.';
    comment on column etl.runs.started_at is 'When it took the run lock.';
    comment on column etl.runs.finished_at is 'When it ended; null while it works, or if it was killed.';
    comment on column etl.runs.host is 'Name of the machine.';
    comment on column etl.runs.process_id is 'Process on that machine.';
    comment on column etl.runs.outcome is 'How it ended; null while it works, or if it was killed.';
    comment on column etl.runs.exit_code is 'Exit code of the process, as the README lists them.';
    comment on column etl.runs.summary is 'What it did, in numbers, and its failures.';

    create table etl.windows (
      account_id integer not null references warehouse.accounts,
      day date not null,
      state text not null check (state in ('loaded', 'provisional', 'failed')),
      fetched_at timestamptz,
      loaded_at timestamptz,
      run_id bigint references etl.runs,
      content_hash text,
      pulled_night date,
      same_since_night date,
      failed_at timestamptz,
      failure text,
      held_hash text,
      held_since timestamptz,
      suspicious boolean not null default false,
      primary key (account_id, day)
    );
    comment on table etl.windows is 'The ledger: what is known of each window, an account on a day. No row: missing.';
    comment on column etl.windows.account_id is 'Account.';
    comment on column etl.windows.day is 'Calendar day in the zone of the account.';
    comment on column etl.windows.state is 'loaded; provisional: fetched before the day was over; failed: tried and never loaded.';
    comment on column etl.windows.fetched_at is 'Clock of the database just before the request of the answer that stands. An older answer is stale.';
    comment on column etl.windows.loaded_at is 'When an answer was last applied or found the same.';
    comment on column etl.windows.run_id is 'Run that last applied an answer.';
    comment on column etl.windows.content_hash is 'SHA-256 over ids and counts of the answer that stands.';
    comment on column etl.windows.pulled_night is 'Night of the last answer that was applied or found the same.';
    comment on column etl.windows.same_since_night is 'Night on which the counts that stand were told first. Settled once pulled_night is later.';
    comment on column etl.windows.failed_at is 'When the last try failed; null if it did not.';
    comment on column etl.windows.failure is 'Why the last try failed; null if it did not.';
    comment on column etl.windows.held_hash is 'content_hash of an answer that was held back; null if none is.';
    comment on column etl.windows.held_since is 'Since when that answer is held.';
    comment on column etl.windows.suspicious is 'No campaigns, or all zero, on a weekday that usually has some.';
  `.execute(db);
}
