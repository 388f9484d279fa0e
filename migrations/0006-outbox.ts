import { type Kysely, sql } from 'kysely';

/** Digests and the messages that carry them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table etl.digests (
      digest_id bigint generated always as identity primary key,
      name text not null,
      day date not null,
      kind text not null check (kind in ('first', 'corrected')),
      state text not null check (state in ('built', 'waived')),
      incomplete boolean not null default false,
      subject text,
      mime text,
      run_id bigint references etl.runs,
      built_at timestamptz not null default clock_timestamp(),
      unique (name, day, kind),
      check ((state = 'built') = (mime is not null))
    );
    comment on table etl.digests is 'Digests: built once and frozen, or waived.';
    comment on column etl.digests.digest_id is 'Key of the digest.';
    comment on column etl.digests.name is 'Name of the digest in the settings.';
    comment on column etl.digests.day is 'Day that it is about.';
    comment on column etl.digests.kind is 'first, or corrected: sent after an incomplete or restated first one.';
    comment on column etl.digests.state is 'built, or waived: decided that none is sent.';
    comment on column etl.digests.incomplete is 'Whether an account was missing when it was built.';
    comment on column etl.digests.subject is 'Subject of the message.';
    comment on column etl.digests.mime is 'The message as it is sent, but for the To and Message-ID of each recipient.';
    comment on column etl.digests.run_id is 'Run that built it.';
    comment on column etl.digests.built_at is 'When it was built or waived.';

    create table etl.deliveries (
      delivery_id bigint generated always as identity primary key,
      digest_id bigint not null references etl.digests,
      recipient text not null,
      message_id text not null unique,
      state text not null default 'pending'
        check (state in ('pending', 'sending', 'sent', 'written', 'failed', 'refused', 'unknown')),
      attempts integer not null default 0,
      reply text,
      changed_at timestamptz not null default clock_timestamp(),
      unique (digest_id, recipient)
    );
    comment on table etl.deliveries is 'Outbox: one message of a digest to one recipient.';
    comment on column etl.deliveries.delivery_id is 'Key of the delivery.';
    comment on column etl.deliveries.digest_id is 'Digest that is delivered.';
    comment on column etl.deliveries.recipient is 'Mail address.';
    comment on column etl.deliveries.message_id is 'Message-ID: the same on every try.';
    comment on column etl.deliveries.state is 'pending; sending; sent, or written to a folder; failed: will be tried again; refused: will not; unknown: perhaps sent, only repeated by hand.';
    comment on column etl.deliveries.attempts is 'How often it was tried.';
    comment on column etl.deliveries.reply is 'What the mail server said last.';
    comment on column etl.deliveries.changed_at is 'When the state last changed.';
  `.execute(db);
}
