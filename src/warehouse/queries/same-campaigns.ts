import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { SameCampaigns } from '../../model/digest.ts';
import type { Queries } from '../db/database.ts';

/** The content hash of a response without campaigns: it is no sign of a shared token. */
const emptyHash = hash('sha256', '');

/**
 * Reads which of the named accounts have the same campaigns and counts, on which of these days. Sets of different days that share
 * an account are one; those whose accounts all share them on purpose are left out.
 */
export async function readSameCampaigns(
  queries: Queries,
  names: readonly string[],
  days: readonly Day[],
): Promise<SameCampaigns[]> {
  const { rows } = await sql<SameCampaigns>`
    with alike as (
      select w.day, array_agg(w.account_id order by w.account_id) as ids
      from warehouse.accounts a
      cross join lateral (
        select * from etl.windows
        where account_id = a.account_id and day = any(${days}::date[]) offset 0) w
      cross join unnest(array[w.content_hash, nullif(w.held_hash, ${emptyHash})]) h (hash)
      where a.name = any(${names}::text[])
        and w.state <> 'failed' and w.active_campaigns > 0 and h.hash is not null
      group by w.day, h.hash
      having count(*) > 1),
    sets as (
      select ids, array_agg(day::text order by day) as days
      from alike
      where exists (
        select from unnest(ids) i (id)
        where not exists (
          select from etl.accepted c
          where c.sign = 'same_campaigns' and (c.account_id is null or c.account_id = i.id)))
      group by ids)
    select days, (
      select jsonb_agg(jsonb_build_object('name', a.name, 'label', a.label) order by a.account_id)
      from warehouse.accounts a where a.account_id = any(ids)) as accounts
    from sets order by ids
  `.execute(queries);
  return mergeSets(rows);
}

/** Merges sets that share an account, in their order: the first account names the alert. */
function mergeSets(sets: readonly SameCampaigns[]): SameCampaigns[] {
  const merged = new Set<SameCampaigns>();
  const byAccount = new Map<string, SameCampaigns>();
  for (const set of sets) {
    const touched = new Set(set.accounts.flatMap(({ name }) => byAccount.get(name) ?? []));
    const shared = touched.size < 2 ? [...touched] : [...merged].filter((each) => touched.has(each));
    const all = [...shared, set];
    const accounts = new Map(all.flatMap((each) => each.accounts).map((account) => [account.name, account]));
    const union = {
      accounts: [...accounts.values()],
      days: [...new Set(all.flatMap((each) => each.days))].sort(),
    };
    for (const each of shared) merged.delete(each);
    merged.add(union);
    for (const name of accounts.keys()) byAccount.set(name, union);
  }
  return [...merged];
}
