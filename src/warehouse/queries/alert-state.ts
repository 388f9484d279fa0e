import type { Queries } from '../db/database.ts';
import { ago } from '../db/expressions.ts';
import { isAtWork } from './run-history.ts';

/** Reads the two newest nightly runs, newest first: one that is running, and the last one that ended. */
export async function readNightlies(queries: Queries) {
  return await queries
    .selectFrom('etl.runs as r')
    .select([
      'r.run_id as run',
      'r.command',
      'r.started_at as startedAt',
      'r.finished_at as finishedAt',
      'r.retry_at as retryAt',
      'r.outcome',
      'r.summary',
      isAtWork.as('atWork'),
    ])
    .where('r.kind', '=', 'nightly')
    .orderBy('r.run_id', 'desc')
    .limit(2)
    .execute();
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
            .where('w.synced_at', '>', ago('10 minutes')),
        ),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return backfill !== undefined;
}

/**
 * Returns when the newest backfill of the last seven days began, if somebody interrupted or killed it; null if it
 * ended, or is running.
 */
export async function interruptedBackfillAt(queries: Queries): Promise<string | null> {
  const newest = await queries
    .selectFrom('etl.runs as r')
    .select(['r.started_at as startedAt', 'r.outcome'])
    .where('r.kind', '=', 'backfill')
    .where('r.started_at', '>', ago('7 days'))
    .orderBy('r.run_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest === undefined || (newest.outcome ?? 'interrupted') !== 'interrupted') return null;
  // Without an outcome it was killed, or is running.
  return newest.outcome === null && (await isBackfilling(queries)) ? null : newest.startedAt;
}

/** Reads the recorded alerts, by key. */
export async function readRecordedAlerts(queries: Queries) {
  const rows = await queries
    .selectFrom('etl.alerts')
    .select(['alert as key', 'title', 'since_run_date as since', 'dismissed'])
    .execute();
  return new Map(rows.map(({ key, ...recorded }) => [key, recorded]));
}
