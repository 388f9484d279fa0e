import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Queries } from '../db/database.ts';
import { ago } from '../db/expressions.ts';
import { isAtWork } from './run-history.ts';

/** Reads the records in quarantine of client lists and of days from `since` on, by account key, day and reason. */
export async function readQuarantined(queries: Queries, since: Day) {
  return await queries
    .selectFrom('etl.rejects as r')
    .select(({ fn }) => [
      'r.account_id as accountId',
      'r.day',
      'r.reason',
      fn.sum<number>('r.records').as('records'),
      sql<string | null>`left(min(r.payload), 160)`.as('example'),
    ])
    .where('r.current', '=', true)
    .where((eb) => eb.or([eb('r.day', 'is', null), eb('r.day', '>=', since)]))
    .groupBy(['r.account_id', 'r.day', 'r.reason'])
    .orderBy('r.day')
    .orderBy(sql`min(r.payload) is null`)
    .orderBy('r.reason')
    .execute();
}

/** Reads the last nightly run with its summary; undefined before the first. */
export async function readLastNightly(queries: Queries) {
  return await queries
    .selectFrom('etl.runs as r')
    .select([
      'r.run_id as run',
      'r.started_at as startedAt',
      'r.finished_at as finishedAt',
      'r.retry_at as retryAt',
      'r.outcome',
      'r.summary',
      isAtWork.as('atWork'),
    ])
    .where('r.kind', '=', 'nightly')
    .orderBy('r.run_id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/**
 * Returns whether a backfill is loading history: it hasn't ended, and has begun or loaded a day in the last
 * ten minutes. Any other may have been killed.
 */
export async function isBackfilling(queries: Queries): Promise<boolean> {
  const backfill = await queries
    .selectFrom('etl.runs as r')
    .select('r.run_id')
    .where('r.kind', '=', 'backfill')
    .where('r.finished_at', 'is', null)
    // One that was killed never ends, and its windows have no index by run.
    .where('r.started_at', '>', ago('7 days'))
    .where((eb) =>
      eb.or([
        eb('r.started_at', '>', ago('10 minutes')),
        eb.exists(
          eb
            .selectFrom('etl.windows as w')
            .select('w.day')
            .whereRef('w.run_id', '=', 'r.run_id')
            .where('w.loaded_at', '>', ago('10 minutes')),
        ),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return backfill !== undefined;
}

/** Reads the recorded alerts, by key. */
export async function readRecordedAlerts(queries: Queries) {
  const rows = await queries
    .selectFrom('etl.alerts')
    .select(['alert as key', 'since_run_date as since', 'dismissed'])
    .execute();
  return new Map(rows.map(({ key, since, dismissed }) => [key, { since, dismissed }]));
}
