import { type SqlBool, sql } from 'kysely';
import type { Queries } from '../db/database.ts';

/** How a run went, as `status` shows it. */
export type RunStatus = {
  readonly run: number;
  readonly command: string;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** Null while it works, or if it was killed. */
  readonly outcome: string | null;
  readonly exitCode: number | null;
};

/** A recorded run; `summary` is as its version of the job wrote it. */
export type RunRecord = RunStatus & {
  readonly summary: { readonly [key: string]: unknown } | null;
  /** Whether it holds the run lock while it works: then any earlier one that does has ended. */
  readonly exclusive: boolean;
};

/** Undated runs: those that are to bring everything that is due. */
const isUndated = sql<SqlBool>`command ~ '^(run|schedule|demo)' and command !~ '--(day|from|account)'`;

/** The newest runs of every kind, newest first. */
export async function readRuns(queries: Queries, count: number): Promise<RunRecord[]> {
  return await newestRecords(queries, count).execute();
}

/** The same, as `status` shows them. */
export async function lastRuns(queries: Queries, count: number): Promise<RunStatus[]> {
  return await newestRuns(queries, count).execute();
}

function newestRecords(queries: Queries, count: number) {
  return newestRuns(queries, count).select(['summary', 'exclusive']);
}

function newestRuns(queries: Queries, count: number) {
  return queries
    .selectFrom('etl.runs')
    .select([
      'run_id as run',
      'command',
      'started_at as startedAt',
      'finished_at as finishedAt',
      'outcome',
      'exit_code as exitCode',
    ])
    .orderBy('run_id', 'desc')
    .limit(count);
}

/** How the undated runs went. */
export type ScheduledRuns = {
  readonly lastSuccessAt: string | null;
  readonly lastStartedAt: string | null;
  /** The last that has ended. */
  readonly last: RunRecord | null;
};

export async function readScheduledRuns(queries: Queries): Promise<ScheduledRuns> {
  const times = await queries
    .selectFrom('etl.runs')
    .select(({ fn }) => [
      fn.max('finished_at').filterWhere('outcome', '=', 'done').as('lastSuccessAt'),
      fn.max<string | null>('started_at').as('lastStartedAt'),
    ])
    .where(isUndated)
    .executeTakeFirstOrThrow();
  const last = await newestRecords(queries, 1)
    .where('finished_at', 'is not', null)
    .where(isUndated)
    .executeTakeFirst();
  return { ...times, last: last ?? null };
}
