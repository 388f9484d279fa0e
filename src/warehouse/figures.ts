import { sql } from 'kysely';
import type { Day } from '../model/day.ts';
import type { AccountTotals, DigestRow } from '../model/digest.ts';
import type { Warehouse } from './tables.ts';

/** The rows of a day that stand, of the named accounts, in the order of accounts and campaigns. */
export async function readDigestRows(
  warehouse: Warehouse,
  accounts: readonly string[],
  day: Day,
): Promise<DigestRow[]> {
  const { rows } = await sql<DigestRow>`
    select a.name as account, a.client_id as "clientId", d.day, d.callset_id as "callsetId", d.campaign,
      d.attempts, d.busies, d.connects, d.live_answers as "liveAnswers"
    from warehouse.campaign_days d
    join warehouse.accounts a using (account_id)
    where a.name = any(${accounts}::text[]) and d.day = ${day} and d.withdrawn_at is null
    order by array_position(${accounts}::text[], a.name), d.callset_id
  `.execute(warehouse);
  return rows;
}

/** The sums of a day by account, one row for each named account, in their order; null where nothing was loaded. */
export async function readAccountTotals(
  warehouse: Warehouse,
  accounts: readonly string[],
  day: Day,
): Promise<AccountTotals[]> {
  const { rows } = await sql<AccountTotals>`
    select n.name as account, coalesce(a.label, n.name) as label, w.state, coalesce(s.campaigns, 0) as campaigns,
      s.attempts, s.busies, s.connects, s.live_answers as "liveAnswers"
    from unnest(${accounts}::text[]) with ordinality n (name, place)
    left join warehouse.accounts a using (name)
    left join etl.windows w on w.account_id = a.account_id and w.day = ${day}
    left join warehouse.account_days s on s.account_id = a.account_id and s.day = ${day}
    order by n.place
  `.execute(warehouse);
  return rows;
}
