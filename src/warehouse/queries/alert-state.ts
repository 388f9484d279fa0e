import type { Queries } from '../db/database.ts';
import { isRunningSql } from './run-history.ts';

/** Reads the two newest nightly runs, newest first: one may be running, and then the other is the last one that ended. */
export async function readNightlies(queries: Queries) {
  return await queries
    .selectFrom('etl.runs as r')
    .select([
      'r.run_id as run',
      'r.command',
      'r.run_date as runDate',
      'r.started_at as startedAt',
      'r.finished_at as finishedAt',
      'r.retry_at as retryAt',
      'r.outcome',
      'r.summary',
    ])
    .where('r.kind', '=', 'nightly')
    .orderBy('r.run_id', 'desc')
    .limit(2)
    .execute();
}

/** Reads the run that holds the run lock, unless it is the own one: a run that begins now would end at once. */
export async function readOtherRun(queries: Queries, own: number | undefined) {
  const other = await queries
    .selectFrom('etl.runs as r')
    .select(['r.run_id as run', 'r.kind', 'r.command', 'r.started_at as startedAt'])
    .where('r.exclusive', '=', true)
    .where(isRunningSql)
    .where('r.run_id', 'is distinct from', own ?? null)
    .limit(1)
    .executeTakeFirst();
  return other === undefined ? null : { ...other, startedAt: Temporal.Instant.from(other.startedAt) };
}

/** Reads the recorded alerts, by key. */
export async function readRecordedAlerts(queries: Queries) {
  const rows = await queries
    .selectFrom('etl.alerts')
    .select(['alert as key', 'title', 'since_run_date as since', 'dismissed'])
    .execute();
  return new Map(rows.map(({ key, ...recorded }) => [key, recorded]));
}
