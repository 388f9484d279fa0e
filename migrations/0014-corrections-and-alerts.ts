import { type Kysely, sql } from 'kysely';

/** What digests told, so that they can be corrected; when a digest began; and the troubles that somebody was told of. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table etl.digests add column told jsonb;
    comment on column etl.digests.told is 'Totals of each account as the digest tells them. A corrected digest follows when they turn out wrong.';

    alter table etl.deliveries add column waived_at timestamptz;
    alter table etl.deliveries add column told_at timestamptz;
    comment on column etl.deliveries.waived_at is 'When somebody decided by hand that it is not sent, or that nobody needs it any more; what was open is refused then.';
    comment on column etl.deliveries.told_at is 'When ALERT_TO was told that it was refused or is unknown.';

    create table etl.digest_starts (
      name text primary key,
      owes_from date
    );
    insert into etl.digest_starts (name) select distinct name from etl.digests;
    comment on table etl.digest_starts is 'Digests of the settings, and where each begins.';
    comment on column etl.digest_starts.name is 'Name of the digest in the settings.';
    comment on column etl.digest_starts.owes_from is 'First day that it owes: days that were loaded before it stood in the settings are none of its news. Null: all.';

    create table etl.alerts (
      trouble text primary key,
      since_night date not null,
      told_night date
    );
    comment on table etl.alerts is 'Troubles that need a person, as long as they last.';
    comment on column etl.alerts.trouble is 'What and where: the same as long as the trouble lasts.';
    comment on column etl.alerts.since_night is 'Night on which it was met first.';
    comment on column etl.alerts.told_night is 'Night on which ALERT_TO was told last; null if that never succeeded.';
  `.execute(db);
}
