import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import { ago } from '../db/expressions.ts';

/** Records in quarantine for the same reason; `example` is the beginning of one of them. */
export type QuarantinedGroup = Awaited<ReturnType<typeof readQuarantine>>[number];

/** What was put into quarantine in the last seven days, newest first. */
export async function readQuarantine(queries: Queries, groups: number) {
  return await queries
    .selectFrom('etl.rejects as r')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'r.account_id')
    .select(({ fn }) => [
      'a.name as account',
      'r.operation',
      'r.day',
      'r.reason',
      fn.countAll<number>().as('records'),
      fn.max('r.rejected_at').as('latestAt'),
      sql<string>`left(min(r.payload), 300)`.as('example'),
    ])
    .where('r.rejected_at', '>', ago('7 days'))
    .groupBy(['a.name', 'r.operation', 'r.day', 'r.reason'])
    .orderBy('latestAt', 'desc')
    .orderBy('a.name')
    .limit(groups)
    .execute();
}
