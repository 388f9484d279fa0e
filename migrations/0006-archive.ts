import type { Kysely } from 'kysely';
import { createTable, execute } from './support/commented.ts';

/** Creates the archive of responses and the quarantine. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(
    db,
    'etl.response_bodies',
    'Bodies of responses, each distinct one once. Of a discarded one the first million characters, or 64,000 where its status is an error; what is cut ends in a line that says so.',
    {
      sha256: ['bytea primary key', 'SHA-256 of the body.'],
      size: ['bigint not null', 'Bytes before compression.'],
      zstd: ['bytea not null', 'The body, compressed with zstd.'],
      referenced_at: [
        'timestamptz not null default now()',
        'When a response last had this body, to the hour.',
      ],
    },
  );
  await createResponses(db);
  await createTable(
    db,
    'etl.rejects',
    'Quarantine: records of responses that could not be read, each once however often it came, at most 100 of a response or walk. Their neighbours were loaded.',
    {
      reject_id: ['bigint generated always as identity primary key', 'Key of the reject.'],
      run_id: ['bigint references etl.runs', 'Run that met it first.'],
      account_id: ['integer not null references warehouse.accounts', 'Account whose response held it.'],
      operation: ['text not null', 'Operation of the service.'],
      day: ['date', 'Day that was requested; null for clients.'],
      payload: [
        'text',
        'The record, as text; with another text it is another reject. Null in the row for the records beyond the 100 that are kept of a response or walk.',
      ],
      records: [
        'integer not null default 1',
        'Number of records: 1, or how many the response or walk had beyond the 100.',
      ],
      current: [
        'boolean not null default true',
        'Whether no later response of the day, or complete walk, replaced it. Others are deleted after 400 days.',
      ],
      payload_sha256: [
        'bytea not null',
        'SHA-256 of the payload: with account, operation and day it identifies the record.',
      ],
      reason: ['text not null', 'Why it could not be read, the last time.'],
      first_rejected_at: ['timestamptz not null default clock_timestamp()', 'When it came first.'],
      last_rejected_at: ['timestamptz not null default clock_timestamp()', 'When it came last.'],
      last_run_date: ['date', 'Run date on which it came last.'],
      run_dates: ['integer not null default 1', 'On how many run dates it came.'],
    },
    ['unique nulls not distinct (account_id, operation, day, payload_sha256)'],
  );
  await execute(db, 'create index rejects_current on etl.rejects (account_id, day) where current');
}

async function createResponses(db: Kysely<unknown>): Promise<void> {
  await createTable(
    db,
    'etl.responses',
    'Every response of the service: what was requested, when, and the load decision.',
    {
      response_id: ['bigint generated always as identity primary key', 'Key of the response.'],
      run_id: ['bigint references etl.runs', 'Run that sent the request.'],
      account_id: ['integer not null references warehouse.accounts', 'Account whose token it was.'],
      operation: ['text not null', 'Operation of the service.'],
      request: ['jsonb not null', 'Parameters, without the token.'],
      walk_id: ['bigint references etl.walks', 'Walk over client pages that it belongs to.'],
      day: ['date', 'Day that was requested; null for clients.'],
      fetched_at: ['timestamptz not null', 'Clock of the database just before the request.'],
      status: ['integer', 'HTTP status.'],
      sha256: ['bytea', 'Body of the response, in etl.response_bodies while it is kept.'],
      decision: [
        `text not null check (decision in ('loaded', 'provisional', 'held', 'ignored', 'stale', 'unreadable', 'discarded'))`,
        'loaded: it confirmed the day, or the page was loaded; provisional: loaded without confirming the day; held; ignored: the day stays as it is, because the service no longer has it, or a fuller provisional response is loaded; stale: a newer one was decided on; unreadable: none of its records could be read; discarded: no valid response, or requested once more because a count beside the campaigns announced more of them.',
      ],
      decided_at: [
        'timestamptz not null default now()',
        'When that was decided: for what was loaded, the loaded_at, restated_at, updated_at and valid_from of the rows that it wrote.',
      ],
      rows: ['integer', 'Campaigns as received, those that could not be read included; null for clients.'],
      counts: ['jsonb', 'Count fields beside the campaigns, under their own names; null for clients.'],
      sign: [
        'text',
        'All that it says beside its records, or in the place of a list; null if that is nothing.',
      ],
      day_ended: ['boolean', 'Whether the day was over when it was fetched; null for clients.'],
    },
  );
  await execute(
    db,
    'create index responses_of_window on etl.responses (account_id, day, response_id)',
    // Finds the bodies that no other account has.
    'create index responses_of_body on etl.responses using hash (sha256)',
    'create index responses_by_time on etl.responses using brin (fetched_at) with (pages_per_range = 16, autosummarize = on)',
    'create index responses_of_walk on etl.responses (walk_id, response_id) where walk_id is not null',
  );
}
