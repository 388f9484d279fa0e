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
  await createView(
    db,
    'warehouse.campaigns',
    'Campaigns with attempts on any day. Unique by account_id, callset_id.',
    {
      account_id: 'Key in warehouse.accounts.',
      callset_id: callset,
      name: 'Name on last_day.',
      first_day: 'First day with attempts.',
      last_day: 'Last day with attempts.',
    },
    `select account_id, callset_id, (array_agg(campaign order by day desc))[1] as name,
       min(day) as first_day, max(day) as last_day
     from etl.campaign_days
     where attempts > 0 and withdrawn_at is null
     group by account_id, callset_id`,
  );
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
    'create index campaign_days_by_day on etl.campaign_days using brin (day) with (pages_per_range = 16)',
  );
}

async function createRestatements(db: Kysely<unknown>): Promise<void> {
  await createTable(
    db,
    'warehouse.campaign_day_restatements',
    'Values of a campaign before a finished day changed. They are null if the campaign was not there.',
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
      loaded_at: ['timestamptz', 'When these values were loaded; null if the campaign appeared.'],
    },
    [
      'primary key (account_id, day, callset_id, restated_at)',
      // Deferred: a campaign that appears is recorded here before its row is there.
      'foreign key (account_id, day, callset_id) references etl.campaign_days deferrable initially deferred',
    ],
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
    'Sums of a finished day before the service reported other counts. warehouse.restated_days shows them with those after.',
    {
      account_id: ['integer not null references warehouse.accounts', 'Account.'],
      day: ['date not null', day],
      restated_at: ['timestamptz not null', 'When the sums ceased to be current.'],
      changed_campaigns: ['bigint not null', 'How many campaigns changed, appeared or were withdrawn then.'],
      listed_campaigns_before: ['bigint not null', 'How many campaigns there were before.'],
      attempts_before: ['numeric', 'Sum of attempts before; 0 without campaigns, null if none reported it.'],
      busies_before: ['numeric', 'Sum of busies before; 0 without campaigns, null if none reported it.'],
      connects_before: ['numeric', 'Sum of connects before; 0 without campaigns, null if none reported it.'],
      live_answers_before: [
        'numeric',
        'Sum of live_answers before; 0 without campaigns, null if none reported it.',
      ],
    },
    ['primary key (account_id, day, restated_at)'],
  );
}
