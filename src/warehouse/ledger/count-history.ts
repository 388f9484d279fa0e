import { sql } from 'kysely';
import type { SummaryEnvelope } from '../../model/records.ts';
import type { CountHistory } from '../../model/window.ts';
import type { Queries, Transaction } from '../db/database.ts';
import { tableOf } from '../db/expressions.ts';
import type { Entry } from './window-entry.ts';

/** More responses that agree prove nothing further. */
const maxAgreed = 10;

/**
 * What earlier responses of the account say of the counts that aren't the number of rows in this one; of the others
 * there is nothing to know. Responses without rows prove nothing.
 *
 * @param before id of this response, where it is archived already: earlier ones have a lower id
 */
export async function readCountHistory(
  queries: Queries,
  { accountId, day, runDate }: Pick<Entry, 'accountId' | 'day' | 'runDate'>,
  { counts, rows }: Pick<SummaryEnvelope, 'counts' | 'rows'>,
  before = Number.MAX_SAFE_INTEGER,
): Promise<CountHistory[]> {
  const differing = Object.entries(counts).filter(([, count]) => count !== rows);
  if (differing.length === 0) return [];
  const listed = tableOf(differing, 'c', {
    name: ['text', ([name]) => name],
    count: ['numeric', ([, count]) => count],
  });
  const { rows: history } = await sql<CountHistory>`
    select c.name,
      (select count(*) from (
        select from etl.responses f
        where f.account_id = ${accountId} and f.rows > 0 and (f.counts ->> c.name)::numeric = f.rows
          and f.response_id < least(d.first_id, ${before}::bigint)
        limit ${maxAgreed}) f) as agreed,
      exists (
        select from etl.responses f join etl.runs r using (run_id)
        where f.account_id = ${accountId} and f.day = ${day}::date and f.rows = ${rows}
          and (f.counts ->> c.name)::numeric = c.count and f.decision <> 'discarded'
          and r.run_date < ${runDate}::date) as "sameBefore",
      exists (
        select from etl.ended_count_comparisons e
        where e.account_id = ${accountId} and e.name = c.name) as ended
    from ${listed}
    left join lateral (
      select f.response_id as first_id from etl.responses f
      where f.account_id = ${accountId} and f.rows > 0 and (f.counts ->> c.name)::numeric <> f.rows
      order by f.response_id limit 1) d on true
  `.execute(queries);
  return history;
}

/** Ends the comparison of these counts, and gives those of which this is news. */
export async function endCountComparisons(
  transaction: Transaction,
  { accountId, runDate }: Pick<Entry, 'accountId' | 'runDate'>,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return [];
  const ended = await transaction
    .insertInto('etl.ended_count_comparisons')
    .values(names.map((name) => ({ account_id: accountId, name, ended_run_date: runDate })))
    .onConflict((conflict) => conflict.columns(['account_id', 'name']).doNothing())
    .returning('name')
    .execute();
  return ended.map(({ name }) => name);
}
