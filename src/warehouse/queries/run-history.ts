import { type SqlBool, sql } from 'kysely';
import type { Queries } from '../db/database.ts';

/** A recorded run; `summary` is as its version of the job wrote it. */
export type RunRecord = {
  readonly run: number;
  readonly command: string;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly outcome: string | null;
  readonly exitCode: number | null;
  readonly summary: { readonly [key: string]: unknown } | null;
  /** Whether it holds the run lock while it works: then any earlier one that does has ended. */
  readonly exclusive: boolean;
};

/** Undated runs: those that are to bring everything that is due. */
const isUndated = sql<SqlBool>`command ~ '^(run|schedule|demo)' and command !~ '--(day|from|account)'`;

/** The newest runs of every kind, newest first. */
export async function readRuns(queries: Queries, count: number): Promise<RunRecord[]> {
  return await newestRuns(queries, count).execute();
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
      'summary',
      'exclusive',
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
  const last = await newestRuns(queries, 1)
    .where('finished_at', 'is not', null)
    .where(isUndated)
    .executeTakeFirst();
  return { ...times, last: last ?? null };
}
