import type { Kysely } from 'kysely';
import { createTable, createView, execute } from './support/commented.ts';

const account = 'Key in warehouse.accounts.';
const day = "Day in the account's zone.";
const callset = 'callsetid of the service.';

/** Creates the figures of campaigns by day, their restatements and earlier sums. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createCampaignDays(db);
  await createRestatements(db);
  await createPastAccountDays(db);
  await createCampaigns(db);
}

/** No foreign key: with one, writing a day's rows takes twice as long. */
async function createCampaignDays(db: Kysely<unknown>): Promise<void> {
  await createTable(
    db,
    'etl.campaign_days',
    'Figures of each campaign on each day, as the service last reported them. Rows with withdrawn_at are no longer current: warehouse.campaign_days leaves them out.',
    {
      account_id: ['integer not null', account],
      day: ['date not null', day],
      callset_id: ['bigint not null', callset],
      campaign: ['text', 'Name of the campaign, as reported for that day.'],
      attempts: ['bigint', 'attempts, as the service counts; null where it reported none, which is not 0.'],
      busies: ['bigint', 'busies, as the service counts; null where it reported none.'],
      connects: ['bigint', 'connects, as the service counts; null where it reported none.'],
      live_answers: ['bigint', 'liveanswers, as the service counts; null where it reported none.'],
      extra: [
        `jsonb not null default '{}'`,
        'Fields of the summary that the document of the service does not show, under their own names.',
      ],
      loaded_at: ['timestamptz not null', 'When these counts were loaded; a new name alone leaves it.'],
      restated_at: [
        'timestamptz',
        'When the service last reported other counts than before for a finished day; null if never.',
      ],
      withdrawn_at: [
        'timestamptz',
        'Since when the service no longer lists the campaign on that day; null while it does.',
      ],
    },
    ['primary key (account_id, day, callset_id)'],
  );
  // Days are loaded one by one, so a block holds few of them; the primary key serves queries by account.
  await execute(
    db,
    'create index campaign_days_by_day on etl.campaign_days using brin (day) with (pages_per_range = 16, autosummarize = on)',
  );
}

async function createRestatements(db: Kysely<unknown>): Promise<void> {
  await createTable(
    db,
    'warehouse.campaign_day_restatements',
    'Values of a campaign before a finished day changed. They are null if the campaign was not there: if it appeared, or returned.',
    {
      account_id: ['integer not null', account],
      day: ['date not null', day],
      callset_id: ['bigint not null', callset],
      restated_at: ['timestamptz not null', 'When these values ceased to be current.'],
      reason: [
        `text not null check (reason in ('changed', 'withdrawn', 'returned', 'appeared'))`,
        'changed: other counts; withdrawn: no longer listed; returned: listed again; appeared: new on the finished day.',
      ],
      campaign_before: ['text', 'Name before.'],
      attempts_before: ['bigint', 'attempts before.'],
      busies_before: ['bigint', 'busies before.'],
      connects_before: ['bigint', 'connects before.'],
      live_answers_before: ['bigint', 'liveanswers before.'],
      extra_before: ['jsonb', 'Further fields before.'],
      loaded_at: ['timestamptz', 'When these values were loaded; null if the campaign was not there.'],
    },
    ['primary key (account_id, day, callset_id, restated_at)'],
  );
  await execute(
    db,
    'create index campaign_day_restatements_by_time on warehouse.campaign_day_restatements (account_id, restated_at)',
  );
}

async function createPastAccountDays(db: Kysely<unknown>): Promise<void> {
  await createTable(
    db,
    'etl.past_account_days',
    'Sums of a finished day before and after the service reported other counts: warehouse.restated_days shows them.',
    {
      account_id: ['integer not null references warehouse.accounts', 'Account.'],
      day: ['date not null', day],
      restated_at: ['timestamptz not null', 'When the sums changed.'],
      changed_campaigns: ['bigint not null', 'How many campaigns changed, appeared or were withdrawn then.'],
      attempts_before: ['numeric', 'Sum of attempts before; 0 without campaigns, null if none reported it.'],
      attempts_after: ['numeric', 'Sum of attempts after; 0 without campaigns, null if none reported it.'],
      connects_before: ['numeric', 'Sum of connects before; 0 without campaigns, null if none reported it.'],
      connects_after: ['numeric', 'Sum of connects after; 0 without campaigns, null if none reported it.'],
      loaded_at: ['timestamptz not null', 'When the counts before were loaded.'],
    },
    ['primary key (account_id, day, restated_at)'],
  );
}

/** A row is rewritten on each day with attempts: with room on its page, no index needs an entry for that. */
async function createCampaigns(db: Kysely<unknown>): Promise<void> {
  await createTable(
    db,
    'etl.campaigns',
    'Every campaign that was ever loaded. warehouse.campaigns shows it; the step after the windows of a run writes it.',
    {
      account_id: ['integer not null', account],
      callset_id: ['bigint not null', callset],
      name: ['text', 'Name on name_day.'],
      name_day: ['date not null', 'Newest day on which the campaign was ever listed.'],
      first_day: ['date', 'First confirmed day with attempts; null if there is none yet.'],
      last_day: ['date', 'Last confirmed day with attempts; null if there is none yet.'],
      is_start_known: ['boolean not null', 'Whether each of the seven days before first_day is confirmed.'],
      updated_at: ['timestamptz not null', 'When anything of it but name_day last changed.'],
    },
    ['primary key (account_id, callset_id)'],
  );
  await createTable(
    db,
    'etl.campaign_refresh',
    'When etl.campaigns was last brought up to date: one row at most.',
    {
      single: ['boolean primary key default true check (single)', 'Always true.'],
      refreshed_at: [
        'timestamptz not null',
        'Start of that transaction: it saw the days that were loaded before.',
      ],
    },
  );
  await execute(
    db,
    'alter table etl.campaigns set (fillfactor = 80)',
    'create index campaigns_by_first_day on etl.campaigns (account_id, first_day)',
  );
  await createView(
    db,
    'warehouse.campaigns',
    'Every campaign that was ever loaded. Unique by account_id, callset_id.',
    {
      account_id: account,
      callset_id: callset,
      name: 'Its newest name.',
      first_day: 'First confirmed day with attempts; null if there is none yet.',
      last_day: 'Last confirmed day with attempts; null if there is none yet.',
      is_start_known:
        'True if each of the seven days before first_day is confirmed; else the campaign may have started earlier.',
      updated_at: 'When the row last changed.',
    },
    `select account_id, callset_id, name, first_day, last_day, is_start_known, updated_at from etl.campaigns`,
  );
}
