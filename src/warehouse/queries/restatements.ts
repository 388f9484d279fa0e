import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

/** A query as a BI tool would send it: finished days that changed after they had been loaded. */
export const restatedFiguresSql = `select account, day, attempts_before as before, attempts_after as now
from warehouse.restated_days
order by day, account`;

export async function readRestatedFigures(queries: Queries) {
  const { rows } = await sql.raw<Readonly<Record<string, unknown>>>(restatedFiguresSql).execute(queries);
  return rows;
}
