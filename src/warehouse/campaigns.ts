import sql from 'sql-template-tag';
import type { Day } from '../model/day.ts';
import type { DayChange } from '../model/day-change.ts';
import type { CampaignRecord } from '../model/records.ts';
import { lockOfAccount } from './account-lock.ts';
import { numbers, texts } from './array-literal.ts';
import { inTransaction } from './transaction.ts';
import type { Transaction, Warehouse } from './warehouse.ts';

/**
 * Brings `warehouse.campaigns` in line with a day that changed: a campaign's name is that of its latest day with
 * attempts, and first and last day are the span of those days.
 */
export async function followCampaigns(
  transaction: Transaction,
  accountId: number,
  day: Day,
  change: DayChange,
): Promise<void> {
  const written = [...change.appeared, ...change.updated];
  const active = written.filter((record) => (record.attempts ?? 0) > 0);
  const ceased = change.updated.filter((record) => !((record.attempts ?? 0) > 0));
  const gone = [...ceased.map((record) => record.callsetId), ...change.withdrawn];
  if (active.length + gone.length === 0) return;
  await lockOfAccount(transaction, 'campaigns', accountId);
  if (active.length > 0) await widenSpans(transaction, accountId, day, active);
  if (gone.length > 0) await rebuildCampaigns(transaction, accountId, gone, day);
}

async function widenSpans(
  transaction: Transaction,
  accountId: number,
  day: Day,
  active: readonly CampaignRecord[],
) {
  await transaction.query(sql`
    with active as (
      select ${day}::date as day, * from unnest(
        ${numbers(active.map((record) => record.callsetId))}::bigint[],
        ${texts(active.map((record) => record.campaign))}::text[]) r (callset_id, name)
    ), widened as (
      update warehouse.campaigns c
      set name = case when a.day >= c.last_day then a.name else c.name end,
        first_day = least(c.first_day, a.day), last_day = greatest(c.last_day, a.day)
      from active a
      where c.account_id = ${accountId} and c.callset_id = a.callset_id
        and (a.day < c.first_day or a.day > c.last_day or (a.day = c.last_day and a.name is distinct from c.name))
    )
    insert into warehouse.campaigns (account_id, callset_id, name, first_day, last_day)
    select ${accountId}::integer, callset_id, name, day, day from active a
    where not exists (
      select from warehouse.campaigns c where c.account_id = ${accountId} and c.callset_id = a.callset_id)
  `);
}

/** Reads all campaigns of an account anew from their days. */
export async function rebuildAllCampaigns(warehouse: Warehouse, accountId: number): Promise<void> {
  await inTransaction(warehouse, async (transaction) => {
    // A window that is loaded meanwhile waits for its campaigns until these are there.
    await transaction.query(sql`lock table warehouse.campaigns in share row exclusive mode`);
    await transaction.query(sql`delete from warehouse.campaigns where account_id = ${accountId}`);
    await transaction.query(sql`
      insert into warehouse.campaigns (account_id, callset_id, name, first_day, last_day)
      select account_id, callset_id, (array_agg(campaign order by day desc))[1], min(day), max(day)
      from warehouse.campaign_days
      where account_id = ${accountId} and attempts > 0 and withdrawn_at is null
      group by account_id, callset_id
    `);
  });
}

/**
 * Reads the spans of campaigns anew from their days; one without any is no campaign any more.
 * Only a span that began or ended on the day that changed can have become shorter.
 */
async function rebuildCampaigns(
  transaction: Transaction,
  accountId: number,
  callsetIds: readonly number[],
  day: Day,
): Promise<void> {
  const { rows } = await transaction.query<{ id: number }>(sql`
    select callset_id as id from warehouse.campaigns
    where account_id = ${accountId} and callset_id = any(${numbers(callsetIds)}::bigint[])
      and ${day}::date in (first_day, last_day)
  `);
  const shorter = rows.map((row) => row.id);
  if (shorter.length === 0) return;
  await transaction.query(sql`
    update warehouse.campaigns c
    set name = s.name, first_day = s.first_day, last_day = s.last_day
    from (
      select callset_id, min(day) as first_day, max(day) as last_day,
        (array_agg(campaign order by day desc))[1] as name
      from warehouse.campaign_days
      where account_id = ${accountId} and callset_id = any(${numbers(shorter)}::bigint[])
        and attempts > 0 and withdrawn_at is null
      group by callset_id) s
    where c.account_id = ${accountId} and c.callset_id = s.callset_id
      and (c.name, c.first_day, c.last_day) is distinct from (s.name, s.first_day, s.last_day)
  `);
  await transaction.query(sql`
    delete from warehouse.campaigns c
    where account_id = ${accountId} and callset_id = any(${numbers(shorter)}::bigint[])
      and not exists (
        select from warehouse.campaign_days d
        where d.account_id = c.account_id and d.callset_id = c.callset_id
          and d.attempts > 0 and d.withdrawn_at is null)
  `);
}
