import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { RunKind, RunOutcome, ScheduledRun, WaitingRun } from '../../model/run.ts';
import type { Queries, Transaction, Warehouse } from '../db/database.ts';
import { clockTime } from '../db/expressions.ts';
import { inTransaction } from '../db/transaction.ts';
import { scheduledTimeServed } from '../failures.ts';
import { runLockHeld } from './run-lock.ts';

export type RunStart = {
  readonly kind: RunKind;
  /** As it was typed. */
  readonly command: string;
  readonly runDate: Day;
  readonly scheduledFor: string | null;
  readonly host: string;
  readonly processId: number;
  /** Whether it holds the run lock. */
  readonly exclusive: boolean;
  /** Until when it is retried; null, the default, for one attempt alone. */
  readonly retryUntil?: string | null;
};

export type RunEnd = {
  readonly outcome: RunOutcome;
  readonly exitCode: number;
  readonly summary: object;
};

/**
 * Records a run that begins; committed at once, so that others see who works. Its scheduled time is taken over from a
 * run that was cut off; throws a Failure where another one has served it.
 */
export async function beginRun(warehouse: Warehouse, start: RunStart): Promise<number> {
  return await inTransaction(warehouse, async (transaction) => {
    if (start.scheduledFor !== null) await takeOverScheduledTime(transaction, start.scheduledFor);
    const inserted = await transaction
      .insertInto('etl.runs')
      .values({
        kind: start.kind,
        command: start.command,
        run_date: start.runDate,
        scheduled_for: start.scheduledFor,
        host: start.host,
        process_id: start.processId,
        exclusive: start.exclusive,
        retries_end_at: start.retryUntil ?? null,
      })
      .onConflict((conflict) => conflict.column('scheduled_for').doNothing())
      .returning('run_id as id')
      .executeTakeFirst();
    if (inserted === undefined) throw scheduledTimeServed();
    return inserted.id;
  });
}

/** Whoever holds the run lock may: a run that hasn't ended, and doesn't hold it, was killed. */
async function takeOverScheduledTime(transaction: Transaction, scheduledFor: string): Promise<void> {
  await transaction
    .updateTable('etl.runs')
    .set('scheduled_for', null)
    .where('scheduled_for', '=', scheduledFor)
    .where((eb) => eb.or([eb('finished_at', 'is', null), eb('outcome', '=', 'interrupted')]))
    .execute();
}

export async function finishRun(warehouse: Queries, runId: number, end: RunEnd): Promise<void> {
  await warehouse
    .updateTable('etl.runs')
    .set({
      finished_at: clockTime,
      retry_at: null,
      outcome: end.outcome,
      exit_code: end.exitCode,
      summary: JSON.stringify(end.summary),
    })
    .where('run_id', '=', runId)
    .execute();
}

export type RunPause = {
  readonly retryAt: string;
  /** What it did so far. */
  readonly summary: object;
};

/** Records that a run waits for its next attempt; whoever comes first may go on with it. */
export async function pauseRun(
  warehouse: Queries,
  runId: number,
  { retryAt, summary }: RunPause,
): Promise<void> {
  await warehouse
    .updateTable('etl.runs')
    .set({ retry_at: retryAt, summary: JSON.stringify(summary) })
    .where('run_id', '=', runId)
    .execute();
}

export type RunResumption = Pick<RunStart, 'host' | 'processId'> & {
  readonly runId: number;
  /** How many attempts it had made when that was read. */
  readonly attempts: number;
};

/** Records that the next attempt of a run begins; throws a Failure where another process has gone on with it. */
export async function resumeRun(warehouse: Queries, resumption: RunResumption): Promise<void> {
  const { numUpdatedRows } = await warehouse
    .updateTable('etl.runs')
    .set((eb) => ({
      attempt: eb('attempt', '+', 1),
      attempt_started_at: clockTime,
      retry_at: null,
      host: resumption.host,
      process_id: resumption.processId,
    }))
    .where('run_id', '=', resumption.runId)
    .where('attempt', '=', resumption.attempts)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  if (Number(numUpdatedRows) === 0) throw scheduledTimeServed();
}

/** What is known of the run of a scheduled time. */
export async function readScheduledRun(
  warehouse: Queries,
  scheduledFor: Temporal.Instant,
): Promise<ScheduledRun> {
  const { rows } = await sql<Omit<ScheduledRun, 'waiting'>>`
    select
      (select min(timestamp)::timestamptz from etl.migrations) as "installedAt",
      case when r.run_id is null then 'none' else r.outcome end as outcome,
      r.run_date as "runDate", r.retries_end_at as "retryUntil",
      exists (select from pg_locks l where ${runLockHeld}) as "lockHeld"
    from (values (${scheduledFor.toString()}::timestamptz)) as s (scheduled_for)
    left join etl.runs r using (scheduled_for)
  `.execute(warehouse);
  return { ...rows[0]!, waiting: await readWaitingRun(warehouse, scheduledFor) };
}

/** The oldest run that waits for its next attempt, of this scheduled time or of one before. */
async function readWaitingRun(
  warehouse: Queries,
  scheduledFor: Temporal.Instant,
): Promise<WaitingRun | null> {
  const { rows } = await sql<WaitingRun>`
    select run_id as run, run_date as "runDate", scheduled_for as "scheduledFor", attempt as attempts,
      retry_at as "retryAt", retries_end_at as "retryUntil", summary
    from etl.runs
    where retry_at is not null and scheduled_for <= ${scheduledFor.toString()}::timestamptz
    order by scheduled_for limit 1
  `.execute(warehouse);
  return rows[0] ?? null;
}

/** The clock of the database: the one clock that orders responses, whichever machine fetched them. */
export async function databaseClock(warehouse: Queries): Promise<string> {
  const { now } = await warehouse.selectNoFrom(clockTime.as('now')).executeTakeFirstOrThrow();
  return now;
}
