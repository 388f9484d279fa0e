import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import { ago } from '../db/expressions.ts';

/**
 * Records in quarantine for the same reason, each once. `runDates` is the number of run dates of the most
 * frequent one; `example` is the beginning of one.
 */
export type QuarantinedGroup = Awaited<ReturnType<typeof readQuarantine>>[number];

/** Reads the records that went into quarantine in the last seven days, newest first. */
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
      fn.countAll<number>().as('records'),
      fn.min('r.first_rejected_at').as('firstAt'),
      fn.max('r.last_rejected_at').as('latestAt'),
      fn.max('r.run_dates').as('runDates'),
      sql<string>`left(min(r.payload), 300)`.as('example'),
    ])
    .where('r.last_rejected_at', '>', ago('7 days'))
    .groupBy(['a.name', 'a.label', 'r.operation', 'r.day', 'r.reason'])
    .orderBy('latestAt', 'desc')
    .orderBy('a.name')
    .limit(groups)
    .execute();
}
