import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import { ago } from '../db/expressions.ts';
import type { WindowKey } from '../ledger/window-entry.ts';
import { isCurrent } from './alert-state.ts';

/**
 * Records in quarantine for the same reason, each once, and on how many run dates the most frequent of them came;
 * `example` is the beginning of one.
 */
export type QuarantinedGroup = Awaited<ReturnType<typeof readQuarantine>>[number];

/** What came in the last seven days and went into quarantine, newest first. */
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

/** A record of a day that couldn't be read: its campaign is missing from all figures, or shows an older response. */
export type QuarantinedRecord = Awaited<ReturnType<typeof readQuarantinedRecords>>[number];

/** The records that the last response for a day had and that couldn't be read, `count` at most. */
export async function readQuarantinedRecords(queries: Queries, { accountId, day }: WindowKey, count: number) {
  return await queries
    .selectFrom('etl.rejects as r')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'r.account_id')
    .select([
      'r.reason',
      'r.first_rejected_at as firstAt',
      'r.last_rejected_at as latestAt',
      'r.run_dates as runDates',
      sql<string>`left(r.payload, 2000)`.as('payload'),
      sql<number>`count(*) over ()`.as('records'),
    ])
    .where((eb) => eb.and({ 'r.account_id': accountId, 'r.day': day }))
    .where(isCurrent)
    .orderBy('r.reject_id')
    .limit(count)
    .execute();
}
