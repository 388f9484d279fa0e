import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { QuarantinedRecords } from '../../model/records.ts';
import type { Queries } from '../db/database.ts';

/**
 * Reads the records in quarantine that no later response replaced: those of client lists, and of days from `since` on, by
 * account key, day and reason.
 */
export async function readQuarantined(
  queries: Queries,
  since: Day,
): Promise<(QuarantinedRecords & { readonly accountId: number })[]> {
  return await queries
    .selectFrom('etl.rejects as r')
    .select(({ fn }) => [
      'r.account_id as accountId',
      'r.operation',
      'r.day',
      'r.reason',
      fn.sum<number>('r.records').as('records'),
      fn.min('r.first_rejected_at').as('firstAt'),
      fn.max('r.last_rejected_at').as('latestAt'),
      sql<string | null>`left(min(r.payload), 160)`.as('example'),
    ])
    .where('r.current', '=', true)
    .where((eb) => eb.or([eb('r.day', 'is', null), eb('r.day', '>=', since)]))
    .groupBy(['r.account_id', 'r.operation', 'r.day', 'r.reason'])
    .orderBy('r.day')
    .orderBy(sql`min(r.payload) is null`)
    .orderBy('r.reason')
    .execute();
}
