import { type Kysely, sql } from 'kysely';

/** On which night an answer was held, and which clients were missing from one walk so far. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table etl.windows add column held_night date;
    comment on column etl.windows.held_night is 'Night on which that answer came first. On a later night it is applied.';
    comment on column etl.windows.fetched_at is 'Clock of the database just before the request of the newest answer that was decided on. An older answer is stale.';

    create table etl.client_walks (
      account_id integer primary key references warehouse.accounts,
      walked_night date not null
    );
    comment on table etl.client_walks is 'Last complete walk over the client list of each account.';
    comment on column etl.client_walks.account_id is 'Account whose list was walked.';
    comment on column etl.client_walks.walked_night is 'Night of that walk.';

    create table etl.client_absences (
      account_id integer not null,
      client_id bigint not null,
      missed_night date not null,
      missed_at timestamptz not null,
      primary key (account_id, client_id),
      foreign key (account_id, client_id) references warehouse.clients
    );
    comment on table etl.client_absences is 'Clients that the last complete walk missed, and that were there before. Missed on a second night, they are absent.';
    comment on column etl.client_absences.account_id is 'Account whose list was walked.';
    comment on column etl.client_absences.client_id is 'clientid of the service.';
    comment on column etl.client_absences.missed_night is 'Night of the first complete walk without the client.';
    comment on column etl.client_absences.missed_at is 'When that walk began.';
  `.execute(db);
}
