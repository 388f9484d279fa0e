import { type Kysely, sql } from 'kysely';

/** The figures of campaigns by day, what they were before, and their sums. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table warehouse.campaigns (
      account_id integer not null references warehouse.accounts,
      callset_id bigint not null,
      name text,
      first_day date not null,
      last_day date not null,
      primary key (account_id, callset_id)
    );
    comment on table warehouse.campaigns is 'Campaigns that ever made an attempt.';
    comment on column warehouse.campaigns.account_id is 'Account that ran the campaign.';
    comment on column warehouse.campaigns.callset_id is 'callsetid of the service.';
    comment on column warehouse.campaigns.name is 'Name of the campaign on its latest day.';
    comment on column warehouse.campaigns.first_day is 'Earliest loaded day with attempts.';
    comment on column warehouse.campaigns.last_day is 'Latest loaded day with attempts.';

    create table warehouse.campaign_days (
      account_id integer not null references warehouse.accounts,
      day date not null,
      callset_id bigint not null,
      campaign text,
      attempts bigint,
      busies bigint,
      connects bigint,
      live_answers bigint,
      extra jsonb not null default '{}',
      loaded_at timestamptz not null,
      restated_at timestamptz,
      withdrawn_at timestamptz,
      primary key (account_id, day, callset_id)
    );
    comment on table warehouse.campaign_days is 'Figures of each campaign on each day, as the service told them last. Rows with withdrawn_at no longer stand.';
    comment on column warehouse.campaign_days.account_id is 'Account that ran the campaign.';
    comment on column warehouse.campaign_days.day is 'Calendar day in the zone of the account.';
    comment on column warehouse.campaign_days.callset_id is 'callsetid of the service.';
    comment on column warehouse.campaign_days.campaign is 'Name of the campaign, as told for that day.';
    comment on column warehouse.campaign_days.attempts is 'attempts, as the service counts; null where it told none, which is not 0.';
    comment on column warehouse.campaign_days.busies is 'busies, as the service counts; null where it told none.';
    comment on column warehouse.campaign_days.connects is 'connects, as the service counts; null where it told none.';
    comment on column warehouse.campaign_days.live_answers is 'liveanswers, as the service counts; null where it told none.';
    comment on column warehouse.campaign_days.extra is 'Fields of the summary that the document of the service does not show, under their own names.';
    comment on column warehouse.campaign_days.loaded_at is 'When these counts were loaded; a new name alone leaves it.';
    comment on column warehouse.campaign_days.restated_at is 'When the service last told other counts than it had told of a finished day; null if never.';
    comment on column warehouse.campaign_days.withdrawn_at is 'Since when the service no longer lists the campaign on that day; null while it does.';

    create table warehouse.campaign_day_restatements (
      account_id integer not null,
      day date not null,
      callset_id bigint not null,
      restated_at timestamptz not null,
      reason text not null check (reason in ('changed', 'withdrawn', 'returned')),
      campaign text,
      attempts bigint,
      busies bigint,
      connects bigint,
      live_answers bigint,
      extra jsonb not null default '{}',
      loaded_at timestamptz not null,
      primary key (account_id, day, callset_id, restated_at),
      foreign key (account_id, day, callset_id) references warehouse.campaign_days
    );
    comment on table warehouse.campaign_day_restatements is 'What a row of campaign_days said before the service told something else of a finished day.';
    comment on column warehouse.campaign_day_restatements.account_id is 'Account that ran the campaign.';
    comment on column warehouse.campaign_day_restatements.day is 'Calendar day in the zone of the account.';
    comment on column warehouse.campaign_day_restatements.callset_id is 'callsetid of the service.';
    comment on column warehouse.campaign_day_restatements.restated_at is 'When the values below ceased to stand.';
    comment on column warehouse.campaign_day_restatements.reason is 'changed: other counts; withdrawn: no longer listed; returned: listed again after it was withdrawn.';
    comment on column warehouse.campaign_day_restatements.campaign is 'Name before.';
    comment on column warehouse.campaign_day_restatements.attempts is 'attempts before.';
    comment on column warehouse.campaign_day_restatements.busies is 'busies before.';
    comment on column warehouse.campaign_day_restatements.connects is 'connects before.';
    comment on column warehouse.campaign_day_restatements.live_answers is 'liveanswers before.';
    comment on column warehouse.campaign_day_restatements.extra is 'Further fields before.';
    comment on column warehouse.campaign_day_restatements.loaded_at is 'When the values before had been loaded.';

    create table warehouse.account_days (
      account_id integer not null references warehouse.accounts,
      day date not null,
      campaigns bigint not null,
      attempts bigint not null,
      busies bigint not null,
      connects bigint not null,
      live_answers bigint not null,
      provisional boolean not null,
      loaded_at timestamptz not null,
      primary key (account_id, day)
    );
    comment on table warehouse.account_days is 'Sums of each account and day that is loaded; an empty day has a row of zeros.';
    comment on column warehouse.account_days.account_id is 'Account.';
    comment on column warehouse.account_days.day is 'Calendar day in the zone of the account.';
    comment on column warehouse.account_days.campaigns is 'Number of campaigns that stand on that day.';
    comment on column warehouse.account_days.attempts is 'Sum of attempts; campaigns without a count add nothing.';
    comment on column warehouse.account_days.busies is 'Sum of busies.';
    comment on column warehouse.account_days.connects is 'Sum of connects.';
    comment on column warehouse.account_days.live_answers is 'Sum of live_answers.';
    comment on column warehouse.account_days.provisional is 'Whether the answer was fetched before the day was over.';
    comment on column warehouse.account_days.loaded_at is 'When this row last changed.';
  `.execute(db);
}
