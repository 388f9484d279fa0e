import { sql } from 'kysely';
import type { Day } from '../model/day.ts';
import type { Warehouse } from './tables.ts';

export type RunStart = {
  readonly command: string;
  readonly night: Day;
  readonly slot: string | null;
  readonly host: string;
  readonly processId: number;
};

export type RunOutcome = 'done' | 'partial' | 'failed' | 'interrupted';

export type RunEnd = {
  readonly outcome: RunOutcome;
  readonly exitCode: number;
  readonly summary: object;
};

/** Enters a run that begins; committed at once, so that others see who works. */
export async function beginRun(warehouse: Warehouse, start: RunStart): Promise<number> {
  const { run_id } = await warehouse
    .insertInto('etl.runs')
    .values({
      command: start.command,
      night: start.night,
      slot: start.slot,
      host: start.host,
      process_id: start.processId,
    })
    .returning('run_id')
    .executeTakeFirstOrThrow();
  return run_id;
}

export async function finishRun(warehouse: Warehouse, runId: number, end: RunEnd): Promise<void> {
  await warehouse
    .updateTable('etl.runs')
    .set({
      finished_at: sql<string>`clock_timestamp()`,
      outcome: end.outcome,
      exit_code: end.exitCode,
      summary: JSON.stringify(end.summary) as unknown as object,
    })
    .where('run_id', '=', runId)
    .execute();
}

/** Who works now, as far as is known: the newest run that has not ended. */
export async function unfinishedRun(warehouse: Warehouse) {
  return await warehouse
    .selectFrom('etl.runs')
    .select(['run_id', 'host', 'process_id', 'started_at'])
    .where('finished_at', 'is', null)
    .orderBy('run_id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The clock of the database: the one clock that orders answers, whichever machine fetched them. */
export async function databaseClock(warehouse: Warehouse): Promise<string> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp() as now`.execute(warehouse);
  return rows[0]!.now;
}
