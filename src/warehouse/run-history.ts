import sql from 'sql-template-tag';
import type { Queries } from './warehouse.ts';

/** A run with what it noted of itself; `summary` is as its version of the job wrote it. */
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

const columns = sql`
  run_id as run, command, started_at as "startedAt", finished_at as "finishedAt", outcome,
  exit_code as "exitCode", summary, exclusive`;

/** Undated runs: those that are to bring everything that is due. */
const isNight = sql`command ~ '^(run|schedule|demo)' and command !~ '--(day|from|account)'`;

/** The newest runs of every kind, newest first. */
export async function readRuns(warehouse: Queries, count: number): Promise<RunRecord[]> {
  const { rows } = await warehouse.query<RunRecord>(sql`
    select ${columns} from etl.runs order by run_id desc limit ${count}
  `);
  return rows;
}

/** How the undated runs went. */
export type Nights = {
  readonly lastSuccessAt: string | null;
  readonly lastStartedAt: string | null;
  /** The last that has ended. */
  readonly last: RunRecord | null;
};

export async function readNights(warehouse: Queries): Promise<Nights> {
  const { rows: times } = await warehouse.query<Omit<Nights, 'last'>>(sql`
    select max(finished_at) filter (where outcome = 'done') as "lastSuccessAt", max(started_at) as "lastStartedAt"
    from etl.runs where ${isNight}
  `);
  const { rows: ended } = await warehouse.query<RunRecord>(sql`
    select ${columns} from etl.runs where finished_at is not null and ${isNight} order by run_id desc limit 1
  `);
  return { ...times[0]!, last: ended[0] ?? null };
}
