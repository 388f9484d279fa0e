import os from 'node:os';
import type { Day } from '../../model/day.ts';
import type { ExitCode } from '../../model/exit-code.ts';
import { Failure } from '../../model/failure.ts';
import type { RunKind, RunOutcome, RunProgress } from '../../model/run.ts';
import { today } from '../../planning/business-day.ts';
import type { Service } from '../../service/service.ts';
import { msSince, withinGrace } from '../../support/clock.ts';
import { beginRun, findHolder, finishRun } from '../../warehouse/ledger/runs.ts';
import type { AppContext } from './app-context.ts';
import { requireSchema } from './database.ts';
import { endingOf, endingOfStats } from './ending.ts';
import { clockWarning } from './run-clock.ts';
import { createRunStats, type RunStats } from './run-stats.ts';

/** A run in progress: the app context, and what belongs to this run alone. */
export type Run = AppContext & {
  readonly id: number;
  /** Its own date in `TIME_ZONE`. */
  readonly runDate: Day;
  readonly service: Service;
  /** Aborted when somebody interrupts the run, or when it loses the run lock. */
  readonly signal: AbortSignal;
  /** What it did so far. */
  readonly stats: RunStats;
  /** Reports progress. */
  readonly report: (progress: Partial<RunProgress>) => void;
};

/** What a run is to do. */
export type RunRequest = {
  /** As it was typed, for `etl.runs`. */
  readonly command: string;
  /** The scheduled time that it serves. */
  readonly scheduledFor?: string | null;
};

/** A run to begin: what it is to do, and which kind of run does that. */
export type RunStart = RunRequest & { readonly kind: RunKind };

export type RunReport = {
  readonly run: number;
  readonly outcome: RunOutcome;
  readonly exitCode: ExitCode;
  readonly ms: number;
  readonly stats: RunStats;
};

/** How long requests in flight may take once a run is interrupted; supervisors wait longer before they kill. */
const graceMs = 6_000;

/** Does `work` as the only run, recorded in `etl.runs` however it ends. */
export async function asOnlyRun(
  app: AppContext,
  start: RunStart,
  signal: AbortSignal,
  work: (run: Run) => Promise<void>,
): Promise<RunReport> {
  await requireSchema(app.warehouse);
  const lock = await app.takeRunLock();
  if (lock === null) throw await lockHeld(app);
  try {
    return await asRun(app, start, AbortSignal.any([signal, lock.lost]), work, true);
  } finally {
    await lock.release();
  }
}

/** Does `work` as a run, recorded in `etl.runs` however it ends; unless `exclusive`, other runs may be in progress. */
export async function asRun(
  app: AppContext,
  { kind, command, scheduledFor = null }: RunStart,
  signal: AbortSignal,
  work: (run: Run) => Promise<void>,
  exclusive = false,
): Promise<RunReport> {
  const clock = await app.readRunClock();
  const runDate = today(clock(), app.config.planning.timeZone);
  const id = await beginRun(app.warehouse, {
    kind,
    command,
    scheduledFor,
    exclusive,
    runDate,
    host: os.hostname(),
    processId: process.pid,
  });
  const run: Run = {
    ...app,
    clock,
    log: app.log.child({ run: id }),
    id,
    runDate,
    service: app.connect(signal, id),
    signal,
    stats: createRunStats(),
    report: () => {},
  };
  const warning = clockWarning(clock, app.clock);
  if (warning !== null) run.log.warn(warning);
  return await completed(run, work);
}

async function completed(run: Run, work: (run: Run) => Promise<void>): Promise<RunReport> {
  const { warehouse, id, signal, stats } = run;
  const began = performance.now();
  try {
    await withinGrace(work(run), signal, graceMs);
  } catch (error) {
    const { line, ...ending } = endingOf(error);
    // The first error counts; the database may be down.
    await finishRun(warehouse, id, { ...ending, summary: { ...stats, ended: line } }).catch(() => {});
    throw error;
  }
  const ending = endingOfStats(stats);
  await finishRun(warehouse, id, { ...ending, summary: stats });
  return { run: id, ...ending, ms: msSince(began), stats };
}

async function lockHeld({ warehouse }: Pick<AppContext, 'warehouse'>): Promise<Failure> {
  const holder = await findHolder(warehouse);
  const who = holder ? `run ${holder.run} on ${holder.host}, since ${holder.startedAt}` : 'it has only begun';
  return new Failure('another run', `another run is at work (${who})`, 'wait for it to end, then run again');
}
