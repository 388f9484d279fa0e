import { sql } from 'kysely';
import type { RunKind } from '../../model/run.ts';
import type { Queries } from '../db/database.ts';
import { runLockHeld } from '../ledger/run-lock.ts';

/** A run as `status` shows it. */
export type RunStatus = {
  readonly run: number;
  readonly command: string;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** Time of its retry; null if it isn't retried. */
  readonly retryAt: string | null;
  /** It is running now, as far as the run lock shows. */
  readonly isRunning: boolean;
  /** Null while it works, or if it was killed. */
  readonly outcome: string | null;
  readonly exitCode: number | null;
};

/** A recorded run; `summary` is in the form of the version that wrote it. */
export type RunRecord = RunStatus & {
  readonly kind: RunKind;
  readonly summary: { readonly [key: string]: unknown } | null;
  /** It holds the run lock while it works: any earlier run with the lock has ended then. */
  readonly exclusive: boolean;
};

/** Reads the newest runs of every kind, newest first. */
export async function lastRuns(queries: Queries, count: number): Promise<RunStatus[]> {
  return await newestRuns(queries, count).execute();
}

/** Reads the newest nightly runs and the newest others with their summaries, newest first. */
export async function readRuns(queries: Queries, count: number): Promise<RunRecord[]> {
  const nightly = await withStats(newestRuns(queries, count)).where('kind', '=', 'nightly').execute();
  const others = await withStats(newestRuns(queries, count)).where('kind', '<>', 'nightly').execute();
  return [...nightly, ...others].sort((one, other) => other.run - one.run);
}

const withStats = (runs: ReturnType<typeof newestRuns>) => runs.select(['kind', 'summary', 'exclusive']);

/** `r` is running if it hasn't ended and started last, among the runs with the run lock or those without. */
export const isRunningSql = sql<boolean>`
  r.finished_at is null
  and (not r.exclusive or exists (select from pg_locks l where ${runLockHeld}))
  and not exists (
    select from etl.runs n where n.exclusive = r.exclusive and n.started_at > r.started_at)`;

function newestRuns(queries: Queries, count: number) {
  return queries
    .selectFrom('etl.runs as r')
    .select([
      'run_id as run',
      'command',
      'started_at as startedAt',
      'finished_at as finishedAt',
      'retry_at as retryAt',
      'outcome',
      'exit_code as exitCode',
      isRunningSql.as('isRunning'),
    ])
    .orderBy('run_id', 'desc')
    .limit(count);
}

/** Reads the two newest nightly runs, newest first: one may be running, and then the other is the last one that ended. */
export async function readNightlies(queries: Queries) {
  return await newestRuns(queries, 2)
    .select(['run_date as runDate', 'summary'])
    .where('kind', '=', 'nightly')
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
