import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

/** A query as a BI tool would send it: figures that changed after they had been loaded. */
export const restatedFiguresSql = `select a.name as account, r.day, d.campaign,
  r.attempts as before, d.attempts as now
from warehouse.campaign_day_restatements r
join warehouse.campaign_days d using (account_id, day, callset_id)
join warehouse.accounts a using (account_id)
order by r.day, d.campaign`;

export async function readRestatedFigures(queries: Queries) {
  const { rows } = await sql.raw<Readonly<Record<string, unknown>>>(restatedFiguresSql).execute(queries);
  return rows;
}
