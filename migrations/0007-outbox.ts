import type { Kysely } from 'kysely';
import { createTable, execute } from './support/commented.ts';

/** Creates digests, their deliveries and alerts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(
    db,
    'etl.digests',
    'Digests: built once and frozen, or skipped.',
    {
      digest_id: ['bigint generated always as identity primary key', 'Key of the digest.'],
      name: ['text not null', 'Name of the digest in the settings.'],
      every: [
        `text not null default 'day' check (every in ('day', 'week', 'month'))`,
        'Whether it is about a day, a week from Monday or a month.',
      ],
      day: ['date not null', 'Day that it is about; the last of a week or month.'],
      kind: [
        `text not null check (kind in ('first', 'corrected'))`,
        'first; corrected: sent once the day of a first one that was incomplete, or low, is whole.',
      ],
      state: [
        `text not null check (state in ('built', 'skipped'))`,
        'built, or skipped: decided that none is sent. A new digest begins with a skipped row: only periods after it are due.',
      ],
      incomplete: ['boolean not null default false', 'Whether an account was missing when it was built.'],
      provisional: [
        'boolean not null default false',
        'Whether days of an account were provisional when it was built.',
      ],
      subject: [
        'text',
        'Subject of the message; null where it was skipped or sent with another one, or an account in it was erased.',
      ],
      mime: [
        'text',
        'The message as it is sent, but for sender, recipient and Message-ID. Null where it was skipped or sent with another one, once it is older than 400 days, and where an account in it was erased.',
      ],
      reported: [
        'jsonb',
        'Totals of each account as the digest reports them: what a corrected one compares its own with.',
      ],
      sent_with: [
        'bigint references etl.digests',
        'Digest in whose message it is: an earlier period or a correction, sent with that one. Null where it has a message of its own, or none.',
      ],
      run_id: ['bigint references etl.runs', 'Run that built it.'],
      built_at: [
        'timestamptz not null default clock_timestamp()',
        'When its figures were read: the same for all that one message tells; or when it was skipped.',
      ],
    },
    [`check (state = 'built' or mime is null)`, 'unique (name, every, day, kind)'],
  );
  await createTable(db, 'etl.deliveries', 'Outbox: one message of a digest to one recipient.', {
    delivery_id: ['bigint generated always as identity primary key', 'Key of the delivery.'],
    digest_id: ['bigint not null references etl.digests', 'Digest that is delivered.'],
    recipient: ['text not null', 'Mail address.'],
    message_id: ['text not null unique', 'Message-ID: the same on every attempt.'],
    state: [
      `text not null default 'pending'
         check (state in ('pending', 'sending', 'sent', 'written', 'failed', 'refused', 'unknown'))`,
      'pending; sending; sent, or written to a folder; failed: will be retried; refused: by the mailbox, and will not; unknown: perhaps sent, only repeated by hand.',
    ],
    attempts: ['integer not null default 0', 'How often it was attempted.'],
    reply: ['text', 'Last reply of the mail server.'],
    cause: [
      `text check (cause in ('recipient', 'sender', 'message', 'machine', 'login', 'encryption', 'policy', 'undecided', 'busy', 'unreachable', 'silent', 'folder'))`,
      'What kept the last attempt from its recipient: the mailbox (recipient), DIGEST_FROM (sender), the message, the machine that sends, the login, the encryption, the rules of the mail server (policy), a refusal that may be of any of these (undecided), a reply that puts it off (busy), no connection (unreachable), no reply (silent), or the folder. Null where nothing did.',
    ],
    changed_at: ['timestamptz not null default clock_timestamp()', 'When the state last changed.'],
    skipped_at: [
      'timestamptz',
      'When somebody decided by hand that it is not sent, or that nobody needs it any more; what was open is refused then.',
    ],
  });
  // A mailbox is the same without regard to case.
  await execute(
    db,
    'create unique index deliveries_of_mailbox on etl.deliveries (digest_id, lower(recipient))',
  );
  await createTable(
    db,
    'etl.alerts',
    'Active alerts: what needs a person, as long as it lasts; and those over that no alert mail named yet.',
    {
      alert: ['text primary key', 'What and where: the same as long as it lasts.'],
      since_run_date: ['date', 'Run date on which a run found it first; null where it was only dismissed.'],
      alerted_run_date: [
        'date',
        'Run date on which ALERT_TO was last notified; null if that never succeeded.',
      ],
      title: ['text not null', 'What happened, in a line, as it was when it was last found.'],
      resolved_run_date: [
        'date',
        'Run date on which an alert that ALERT_TO was notified of was found to be over; the next alert mail names it, and then it is forgotten. Null while it is active.',
      ],
      dismissed: [
        `text[] not null default '{}'`,
        'What it affected when somebody acknowledged it by status --dismiss: it is active again once it affects more.',
      ],
    },
  );
}
