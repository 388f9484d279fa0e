import os from 'node:os';
import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import { Failure } from '../../model/errors.ts';
import type { RunKind, RunOutcome, ScheduledRun } from '../../model/run.ts';
import type { Queries } from '../db/database.ts';
import { clockTime } from '../db/expressions.ts';
import { runLockHeld } from './run-lock.ts';

export type RunStart = {
  readonly kind: RunKind;
  /** The command as it was typed. */
  readonly command: string;
  /** `SERVICE_BASE_URL`; null if none is set. */
  readonly service: string | null;
  readonly runDate: Day;
  readonly scheduledFor: string | null;
  /** 1 for the first run of its scheduled time. */
  readonly number: number;
  /** End of its retries; null if it isn't retried. */
  readonly retryUntil: Temporal.Instant | null;
  /** It holds the run lock. */
  readonly exclusive: boolean;
};

/**
 * Records the start of a run. It is committed at once, so that other processes see the run. Throws a Failure
 * if another process has started the same run of a scheduled time.
 */
export async function beginRun(warehouse: Queries, start: RunStart): Promise<number> {
  const inserted = await warehouse
    .insertInto('etl.runs')
    .values({
      kind: start.kind,
      command: start.command,
      service: start.service,
      run_date: start.runDate,
      scheduled_at: start.scheduledFor,
      number: start.number,
      retry_until: start.retryUntil?.toString() ?? null,
      host: os.hostname(),
      process_id: process.pid,
      exclusive: start.exclusive,
    })
    .onConflict((conflict) => conflict.columns(['scheduled_at', 'number']).doNothing())
    .returning('run_id as id')
    .executeTakeFirst();
  if (inserted === undefined)
    throw new Failure('RUN_IN_PROGRESS', 'another run has served this scheduled time', {
      advice: 'nothing to do',
    });
  return inserted.id;
}

export type RunEnd = {
  readonly outcome: RunOutcome;
  readonly exitCode: number;
  /** Time of its retry; null if it isn't retried. */
  readonly retryAt: Temporal.Instant | null;
  readonly summary: object;
};

export async function finishRun(warehouse: Queries, runId: number, end: RunEnd): Promise<void> {
  await warehouse
    .updateTable('etl.runs')
    .set({
      finished_at: clockTime,
      retry_at: end.retryAt?.toString() ?? null,
      outcome: end.outcome,
      exit_code: end.exitCode,
      summary: JSON.stringify(end.summary),
    })
    .where('run_id', '=', runId)
    .execute();
}

/**
 * Records a nightly run that could not begin `msAgo` milliseconds ago, unless another one has begun since, or its scheduled time has
 * a run with its number, or one that isn't retried.
 */
export async function recordUnbegunRun(
  warehouse: Queries,
  start: Omit<RunStart, 'kind' | 'exclusive'>,
  end: RunEnd,
  msAgo: number,
): Promise<void> {
  const wantedAt = sql<string>`clock_timestamp() - ${msAgo} * interval '1 millisecond'`;
  const newer = await warehouse
    .selectFrom('etl.runs')
    .select('run_id')
    .where('kind', '=', 'nightly')
    .where((eb) =>
      eb.or([
        eb('started_at', '>', wantedAt),
        eb.and([
          eb('scheduled_at', '=', start.scheduledFor),
          eb.or([eb('number', '>=', start.number), eb('retry_at', 'is', null)]),
        ]),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  if (newer !== undefined) return;
  const id = await beginRun(warehouse, { ...start, kind: 'nightly', exclusive: true });
  await warehouse.updateTable('etl.runs').set({ started_at: wantedAt }).where('run_id', '=', id).execute();
  await finishRun(warehouse, id, end);
}

/** Reads when the schema was set up. */
export async function readInstalledAt(warehouse: Queries): Promise<Temporal.Instant> {
  const { rows } = await sql<{ at: string }>`
    select min(timestamp)::timestamptz as at from etl.migrations`.execute(warehouse);
  return Temporal.Instant.from(rows[0]!.at);
}

/** Reads the state of the runs of a scheduled time, for a process that read its settings so many milliseconds ago. */
export async function readScheduledRun(
  warehouse: Queries,
  scheduledFor: Temporal.Instant,
  settingsReadMsAgo = 0,
): Promise<ScheduledRun> {
  const { rows } = await sql<Omit<ScheduledRun, 'newest'>>`
    select
      (select min(timestamp)::timestamptz from etl.migrations) as "installedAt",
      exists (select from pg_locks l where ${runLockHeld}) as "lockHeld"
  `.execute(warehouse);
  const newest = await warehouse
    .selectFrom('etl.runs')
    .select([
      'number',
      'run_date as runDate',
      'retry_until as retryUntil',
      'retry_at as retryAt',
      'outcome',
      'exit_code as exitCode',
      sql<boolean>`coalesce(finished_at < clock_timestamp() - ${settingsReadMsAgo} * interval '1 millisecond', false)`.as(
        'isOlderThanSettings',
      ),
    ])
    .where('scheduled_at', '=', scheduledFor.toString())
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return { ...rows[0]!, newest: (newest as ScheduledRun['newest'] | undefined) ?? null };
}

export async function databaseClock(warehouse: Queries): Promise<string> {
  const { now } = await warehouse.selectNoFrom(clockTime.as('now')).executeTakeFirstOrThrow();
  return now;
}

/**
 * Reads the database's clock once, and returns a function that continues it, as text. Responses are ordered
 * by this clock, whichever machine fetched them.
 */
export async function anchorDatabaseClock(warehouse: Queries): Promise<DatabaseClock> {
  const anchor = Temporal.Instant.from(await databaseClock(warehouse));
  const anchoredAt = performance.now();
  return (at = performance.now()) =>
    anchor.add({ microseconds: Math.round((at - anchoredAt) * 1_000) }).toString();
}

/** @param at an instant of `performance.now()`; now by default */
export type DatabaseClock = (at?: number) => string;
