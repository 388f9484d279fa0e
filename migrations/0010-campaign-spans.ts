import { type Kysely, sql } from 'kysely';

/** Spans of campaigns shrink with their days: a day that was turned to 0 or withdrawn no longer belongs to them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update warehouse.campaigns c
    set name = s.name, first_day = s.first_day, last_day = s.last_day
    from (
      select account_id, callset_id, min(day) as first_day, max(day) as last_day,
        (array_agg(campaign order by day desc))[1] as name
      from warehouse.campaign_days where attempts > 0 and withdrawn_at is null
      group by account_id, callset_id) s
    where s.account_id = c.account_id and s.callset_id = c.callset_id
      and (c.name, c.first_day, c.last_day) is distinct from (s.name, s.first_day, s.last_day);

    delete from warehouse.campaigns c
    where not exists (
      select from warehouse.campaign_days d
      where d.account_id = c.account_id and d.callset_id = c.callset_id and d.attempts > 0 and d.withdrawn_at is null);

    comment on table warehouse.campaigns is 'Campaigns with attempts on any day that stands.';
    comment on column warehouse.campaigns.name is 'Name of the campaign on its latest day with attempts.';
    comment on column warehouse.campaigns.first_day is 'Earliest day with attempts.';
    comment on column warehouse.campaigns.last_day is 'Latest day with attempts.';
  `.execute(db);
}
