import { type Kysely, sql } from 'kysely';

/** What the archive needs to rebuild the warehouse, and to tell where a row came from. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table etl.walks (
      walk_id bigint generated always as identity primary key,
      run_id bigint references etl.runs,
      account_id integer not null references warehouse.accounts,
      night date not null,
      day date not null,
      started_at timestamptz not null,
      decided_at timestamptz,
      complete boolean not null default false,
      problem text
    );
    comment on table etl.walks is 'Walks over the client pages of an account. One that could not be proven complete and was begun again is two.';
    comment on column etl.walks.walk_id is 'Key of the walk.';
    comment on column etl.walks.run_id is 'Run that walked.';
    comment on column etl.walks.account_id is 'Account whose clients were listed.';
    comment on column etl.walks.night is 'Night of the run.';
    comment on column etl.walks.day is 'Day, in the zone of the account, on which balances were told.';
    comment on column etl.walks.started_at is 'Clock of the database before the first request.';
    comment on column etl.walks.decided_at is 'When it was entered as complete; null where it was not.';
    comment on column etl.walks.complete is 'Whether every page from first to last was seen.';
    comment on column etl.walks.problem is 'Why it proves nothing; null for a complete walk, and for one that was cut off.';
    create index walks_of_account on etl.walks (account_id, walk_id);

    alter table etl.fetches
      add column day date,
      add column decided_at timestamptz not null default now(),
      add column wrote bigint[] not null default '{}',
      add foreign key (walk) references etl.walks,
      add check (decided in ('loaded', 'provisional', 'held', 'stale', 'unreadable', 'discarded'));
    comment on column etl.fetches.walk is 'Walk over client pages that the fetch belongs to.';
    comment on column etl.fetches.day is 'Day that was asked for; null for clients.';
    comment on column etl.fetches.decided is 'loaded; provisional: loaded, though the day was not over; held; stale: a newer one was decided on; unreadable: over half of its records could not be read; discarded: no answer that could be used.';
    comment on column etl.fetches.decided_at is 'When that was decided: for what was loaded, the loaded_at, restated_at, changed_at and valid_from of the rows that it wrote.';
    comment on column etl.fetches.wrote is 'callset_id or client_id of the rows of warehouse that this answer wrote.';
    create index fetches_of_window on etl.fetches (account_id, day, fetched_at) where day is not null;
    create index fetches_of_walk on etl.fetches (walk, fetch_id) where walk is not null;

    alter table etl.bodies add column needed_at timestamptz not null default now();
    comment on column etl.bodies.needed_at is 'When an answer last had this body, to the hour.';
    create index bodies_by_need on etl.bodies (needed_at);
  `.execute(db);
}
