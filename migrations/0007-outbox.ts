import type { Kysely } from 'kysely';
import { createTable, execute } from './support/commented.ts';

const digest = 'Name of the digest in the settings.';
const every = `text not null check (every in ('day', 'week', 'month'))`;
const everyMeaning = 'Whether it is about days, weeks from Monday or months.';

/** Creates mails of digests, their figures, their deliveries, and alerts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(
    db,
    'etl.digest_starts',
    'Where each digest begins: only periods that end after this day are mailed.',
    {
      name: ['text not null', digest],
      every: [every, everyMeaning],
      day: ['date not null', 'Last day before it.'],
    },
    ['primary key (name, every)'],
  );
  await createTable(
    db,
    'etl.mails',
    'Mails of digests: each built once and frozen.',
    {
      mail_id: ['bigint generated always as identity primary key', 'Key of the mail.'],
      name: ['text not null', digest],
      every: [every, everyMeaning],
      number: [
        'integer not null',
        'Number of the mail within its digest: of two runs at once, one can take it.',
      ],
      day: ['date not null', 'Last day of the period that it shows in full.'],
      correction: [
        'integer not null default 0',
        'How often that period had been mailed before, if this mail corrects it; otherwise 0.',
      ],
      subject: ['text', 'Subject of the message; null where an account in it was erased.'],
      mime: [
        'bytea',
        'The message as it is sent, but for sender, recipient and Message-ID, compressed with zstd. Null once it is older than 400 days, and where an account in it was erased.',
      ],
      run_id: ['bigint references etl.runs', 'Run that built it.'],
      built_at: ['timestamptz not null', 'When its figures were read: the same for all of its figures.'],
    },
    ['unique (name, every, number)'],
  );
  await execute(
    db,
    // Pages and pruning look at the newest and the oldest alone.
    'create index mails_by_day on etl.mails (day)',
    'create index mails_kept on etl.mails (built_at) where mime is not null',
  );
  await createMailedPeriods(db);
  await createTable(db, 'etl.deliveries', 'Outbox: one message of a mail to one recipient.', {
    delivery_id: ['bigint generated always as identity primary key', 'Key of the delivery.'],
    mail_id: ['bigint not null references etl.mails on delete cascade', 'Mail that is delivered.'],
    recipient: ['text not null', 'Mail address.'],
    message_id: ['text not null unique', 'Message-ID: the same on every attempt.'],
    state: [
      `text not null default 'pending'
         check (state in ('pending', 'sending', 'sent', 'written', 'failed', 'given_up', 'unknown'))`,
      'pending; sending; sent, or written to a folder; failed: not taken, will be retried; given_up: failed on seven run dates, or skipped by hand, and will not; unknown: perhaps sent, only repeated by hand.',
    ],
    attempts: ['integer not null default 0', 'How often it was attempted.'],
    failed_run_dates: [
      `date[] not null default '{}'`,
      'Run dates on which it failed: after seven, it is given up.',
    ],
    reply: ['text', 'Last reply of the mail server.'],
    step: [
      `text check (step in ('connection', 'tls', 'login', 'sender', 'recipient', 'message', 'folder'))`,
      'Step of the session at which the last attempt ended, or the folder; null if it was not attempted, or arrived.',
    ],
    code: ['integer', 'Code of the reply that refused it, such as 550; null if there was none.'],
    changed_at: ['timestamptz not null default clock_timestamp()', 'When the state last changed.'],
    skipped_at: [
      'timestamptz',
      'When somebody decided by hand that it is not sent, or that nobody needs it any more; what was open is given up then.',
    ],
  });
  // A mailbox is the same without regard to case.
  await execute(
    db,
    'create unique index deliveries_of_mailbox on etl.deliveries (mail_id, lower(recipient))',
    // What is left to do, and to alert of, is found without reading all that ever arrived.
    `create index deliveries_not_sent on etl.deliveries (mail_id) where state not in ('sent', 'written')`,
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
      alerted_run_dates: [
        'integer not null default 0',
        'On how many run dates ALERT_TO was notified: a warning is repeated on seven, then weekly.',
      ],
      claimed_at: [
        'timestamptz',
        'When a process took it to send its beginning, a reminder or its end; null once that has ended. Others leave it alone for ten minutes.',
      ],
      title: ['text not null', 'What happened, in a line, as it was when it was last found.'],
      resolved_run_date: [
        'date',
        'Run date on which an alert that ALERT_TO was notified of was found to be over; the next alert mail names it, and then it is forgotten. Null while it is active.',
      ],
      dismissed: [
        `text[] not null default '{}'`,
        'Items that it affected when somebody dismissed it by status --dismiss: it is active again once it affects more.',
      ],
    },
  );
}

/** What was mailed stays, whatever the warehouse says later: a table, not a view. */
async function createMailedPeriods(db: Kysely<unknown>): Promise<void> {
  await createTable(
    db,
    'etl.mailed_periods',
    'Figures that were mailed of each account in a period: a row for each mail that has them, which counts once the mail is delivered to somebody. Without a mail: a decision that nothing is mailed.',
    {
      name: ['text not null', digest],
      every: [every, everyMeaning],
      day: ['date not null', 'Last day of the period.'],
      account_id: [
        'integer references warehouse.accounts',
        'Account; null where it was erased, and where a whole period is skipped.',
      ],
      mail_id: [
        'bigint references etl.mails on delete cascade',
        'Mail that has them; null where it is skipped.',
      ],
      state: [
        `text not null check (state in ('whole', 'provisional', 'incomplete', 'absent', 'skipped', 'erased'))`,
        'whole: all of its days were confirmed; provisional: one was not; incomplete: one was missing; absent: all were; skipped: decided that it is not mailed; erased: the account was.',
      ],
      content: [
        'text',
        'SHA-256 over the content of its days, by which it is compared with the warehouse. Where it is skipped: the content that is not mailed, or null for any.',
      ],
      lacking_days: [`date[] not null default '{}'`, 'Days that were expected and missing, or not over.'],
      attempts: ['numeric', 'attempts that were mailed; null if not reported.'],
      busies: ['numeric', 'busies that were mailed; null if not reported.'],
      connects: ['numeric', 'connects that were mailed; null if not reported.'],
      live_answers: ['numeric', 'live_answers that were mailed; null if not reported.'],
      connect_rate_connects: ['numeric', 'connects of the campaigns that report attempts, too.'],
      connect_rate_attempts: ['numeric', 'attempts of the campaigns that report connects, too.'],
      decided_at: [
        'timestamptz not null default clock_timestamp()',
        'When its figures were read, or when it was skipped.',
      ],
    },
    [`check (mail_id is not null or state = 'skipped')`],
  );
  await execute(
    db,
    'create index mailed_periods_of_digest on etl.mailed_periods (name, every, day, account_id)',
    'create index mailed_periods_of_account on etl.mailed_periods (account_id, day)',
    'create index mailed_periods_of_mail on etl.mailed_periods (mail_id)',
    'create index mailed_periods_by_day on etl.mailed_periods using brin (day) with (pages_per_range = 16, autosummarize = on)',
    `create index mailed_periods_in_part on etl.mailed_periods (day) where state in ('provisional', 'incomplete', 'absent')`,
    // A later decision replaces an earlier one.
    'create unique index mailed_periods_skipped on etl.mailed_periods (name, every, day, coalesce(account_id, 0)) where mail_id is null',
  );
}
