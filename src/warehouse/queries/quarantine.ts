import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

/**
 * Records in quarantine for the same reason, each once. `runDates` is the number of run dates of the most
 * frequent one; `example` is the beginning of one; null for those beyond the kept ones.
 */
export type QuarantinedGroup = Awaited<ReturnType<typeof readQuarantine>>[number];

/** Reads the records in quarantine that no later response replaced, newest first. */
export async function readQuarantine(queries: Queries, groups: number) {
  return await queries
    .selectFrom('etl.rejects as r')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'r.account_id')
    .select(({ fn }) => [
      'a.name as account',
      'a.label',
      'r.operation',
      'r.day',
      'r.reason',
      fn.sum<number>('r.records').as('records'),
      fn.min('r.first_rejected_at').as('firstAt'),
      fn.max('r.last_rejected_at').as('latestAt'),
      fn.max('r.run_dates').as('runDates'),
      sql<string | null>`left(min(r.payload), 300)`.as('example'),
    ])
    .where('r.current', '=', true)
    .groupBy(['a.name', 'a.label', 'r.operation', 'r.day', 'r.reason'])
    .orderBy('latestAt', 'desc')
    .orderBy('a.name')
    .limit(groups)
    .execute();
}
