import { sql } from 'kysely';
import type { Transaction, Warehouse } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';

/**
 * Brings `warehouse.campaigns` up to date with the days that changed since its last time, and with those that changed in the
 * day before: a window's transaction may have been open then. An upsert in each window's transaction would halve the windows
 * a second, and deadlock (docs/decisions, *Write a row once*).
 */
export async function refreshCampaigns(warehouse: Warehouse): Promise<void> {
  await inTransaction(warehouse, async (transaction) => {
    // After a backfill of years it reads all their rows.
    await sql`
      select set_config('statement_timeout', '1h', true) where current_setting('statement_timeout') = '5min'
    `.execute(transaction);
    await transaction
      .insertInto('etl.campaign_refresh')
      .values({ refreshed_at: '-infinity' })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    // One at a time, each with a newer snapshot than the last one: an older one would undo what that wrote.
    const { since } = await transaction
      .selectFrom('etl.campaign_refresh')
      .select(sql<string>`(refreshed_at - interval '1 day')::text`.as('since'))
      .forUpdate()
      .executeTakeFirstOrThrow();
    await upsertCampaigns(transaction, since);
    await updateStarts(transaction, since);
    await transaction.updateTable('etl.campaign_refresh').set({ refreshed_at: sql`now()` }).execute();
  });
}

/**
 * A first or last day that lost its attempts, or its confirmation, is looked up again among all days of the account.
 * Without statistics Postgres compares each row of one CTE with each of another: they are grouped, never joined.
 */
async function upsertCampaigns(transaction: Transaction, since: string): Promise<void> {
  await sql`
    with changed as materialized (
      select account_id, day, state = 'loaded' as is_confirmed from etl.windows
      where updated_at >= ${since}::timestamptz and state <> 'failed'),
    listed as materialized (
      select d.account_id, d.callset_id, (array_agg(d.campaign order by d.day desc))[1] as name, max(d.day) as name_day,
        min(d.day) filter (where c.is_called) as first_day, max(d.day) filter (where c.is_called) as last_day,
        array_agg(d.day) filter (where not c.is_called) as quiet_days
      from changed w
      join etl.campaign_days d using (account_id, day)
      cross join lateral (
        select w.is_confirmed and d.withdrawn_at is null and coalesce(d.attempts, 0) > 0 as is_called) c
      group by d.account_id, d.callset_id),
    compared as materialized (
      select l.account_id, l.callset_id, l.name, l.name_day, l.first_day, l.last_day,
        k.name as known_name, k.name_day as known_name_day, k.first_day as known_first_day, k.last_day as known_last_day,
        k.is_start_known,
        coalesce(k.first_day = any(l.quiet_days) or k.last_day = any(l.quiet_days), false) as is_lost
      from listed l
      -- One by one, by the key: of all that ever were, a night lists a few.
      left join lateral (
        select * from etl.campaigns c where c.account_id = l.account_id and c.callset_id = l.callset_id offset 0) k on true),
    found as (
      select a.account_id, f.*
      from (select distinct account_id from compared where is_lost) a
      cross join lateral (
        select d.callset_id, min(d.day) as first_day, max(d.day) as last_day
        from etl.campaign_days d
        join etl.windows w on w.account_id = d.account_id and w.day = d.day and w.state = 'loaded'
        where d.account_id = a.account_id and d.withdrawn_at is null and d.attempts > 0
        group by d.callset_id
        offset 0) f),
    campaigns as (
      select account_id, callset_id, max(name) as name, max(name_day) as name_day,
        min(first_day) as first_day, max(last_day) as last_day, bool_or(is_start_known) as is_start_known
      from (
        select account_id, callset_id, true as is_listed,
          case when known_name_day > name_day then known_name else name end as name,
          greatest(known_name_day, name_day) as name_day,
          case when not is_lost then least(known_first_day, first_day) end as first_day,
          case when not is_lost then greatest(known_last_day, last_day) end as last_day,
          case when not is_lost and known_first_day <= coalesce(first_day, 'infinity') then is_start_known end as is_start_known
        from compared
        union all
        select account_id, callset_id, false, null, null, first_day, last_day, null from found) c
      group by account_id, callset_id
      having bool_or(is_listed))
    insert into etl.campaigns as k
      (account_id, callset_id, name, name_day, first_day, last_day, is_start_known, updated_at)
    select c.account_id, c.callset_id, c.name, c.name_day, c.first_day, c.last_day,
      coalesce(c.is_start_known, ${isStartKnown(sql`c`)}), now()
    from campaigns c
    join warehouse.accounts a using (account_id)
    order by c.account_id, c.callset_id
    -- As a load does: of an account that is being erased, no row is left.
    for key share of a
    on conflict (account_id, callset_id) do update
      set name = excluded.name, name_day = excluded.name_day, first_day = excluded.first_day, last_day = excluded.last_day,
        is_start_known = excluded.is_start_known,
        updated_at = case
          when (k.name, k.first_day, k.last_day, k.is_start_known)
            is distinct from (excluded.name, excluded.first_day, excluded.last_day, excluded.is_start_known)
          then excluded.updated_at else k.updated_at end
      where (k.name, k.name_day, k.first_day, k.last_day, k.is_start_known)
        is distinct from (excluded.name, excluded.name_day, excluded.first_day, excluded.last_day, excluded.is_start_known)
  `.execute(transaction);
}

/** A day that changed may also be one of the seven before campaigns that it doesn't list. */
async function updateStarts(transaction: Transaction, since: string): Promise<void> {
  await sql`
    with starts as materialized (
      select s.account_id, s.first_day, ${isStartKnown(sql`s`)} as is_known
      from (
        select distinct account_id, day + n as first_day
        from etl.windows cross join generate_series(1, 7) n
        where updated_at >= ${since}::timestamptz and state <> 'failed') s)
    update etl.campaigns k
    set is_start_known = s.is_known, updated_at = now()
    from starts s
    where k.account_id = s.account_id and k.first_day = s.first_day and k.is_start_known <> s.is_known
  `.execute(transaction);
}

const isStartKnown = (row: ReturnType<typeof sql>) => sql`(
  select count(*) = 7 from etl.windows w
  where w.account_id = ${row}.account_id and w.day between ${row}.first_day - 7 and ${row}.first_day - 1
    and w.state = 'loaded')`;
