import { type Kysely, sql } from 'kysely';

/** Every answer of the service, and the records that couldn't be read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table etl.bodies (
      sha256 bytea primary key,
      size bigint not null,
      zstd bytea not null
    );
    comment on table etl.bodies is 'Bodies of answers, each distinct one once.';
    comment on column etl.bodies.sha256 is 'SHA-256 of the body.';
    comment on column etl.bodies.size is 'Bytes before compression.';
    comment on column etl.bodies.zstd is 'The body, compressed with zstd.';

    create table etl.fetches (
      fetch_id bigint generated always as identity primary key,
      run_id bigint references etl.runs,
      account_id integer not null references warehouse.accounts,
      operation text not null,
      question jsonb not null,
      walk bigint,
      fetched_at timestamptz not null,
      status integer,
      sha256 bytea,
      decided text not null
    );
    comment on table etl.fetches is 'Every answer of the service: what was asked, when, and what was decided.';
    comment on column etl.fetches.fetch_id is 'Key of the fetch.';
    comment on column etl.fetches.run_id is 'Run that asked.';
    comment on column etl.fetches.account_id is 'Account that asked.';
    comment on column etl.fetches.operation is 'Operation of the service.';
    comment on column etl.fetches.question is 'Parameters, without the token.';
    comment on column etl.fetches.walk is 'Number of the walk over client pages that the fetch belongs to.';
    comment on column etl.fetches.fetched_at is 'Clock of the database just before the request.';
    comment on column etl.fetches.status is 'HTTP status.';
    comment on column etl.fetches.sha256 is 'Body of the answer, in etl.bodies while it is kept.';
    comment on column etl.fetches.decided is 'What the job did with the answer.';

    create table etl.rejects (
      reject_id bigint generated always as identity primary key,
      run_id bigint references etl.runs,
      account_id integer not null references warehouse.accounts,
      operation text not null,
      day date,
      payload text not null,
      reason text not null,
      rejected_at timestamptz not null default clock_timestamp()
    );
    comment on table etl.rejects is 'Quarantine: records of answers that could not be read. Their neighbours were loaded.';
    comment on column etl.rejects.reject_id is 'Key of the reject.';
    comment on column etl.rejects.run_id is 'Run that met it.';
    comment on column etl.rejects.account_id is 'Account whose answer held it.';
    comment on column etl.rejects.operation is 'Operation of the service.';
    comment on column etl.rejects.day is 'Day that was asked for; null for clients.';
    comment on column etl.rejects.payload is 'The record, as text.';
    comment on column etl.rejects.reason is 'Why it could not be read.';
    comment on column etl.rejects.rejected_at is 'When it was met first by that run.';
  `.execute(db);
}
