import os from 'node:os';
import type { Day } from '../../model/day.ts';
import { type ExitCode, exitCode, gravest } from '../../model/exit-code.ts';
import { Failure } from '../../model/failure.ts';
import type { RunProgress } from '../../model/progress.ts';
import type { RunOutcome } from '../../model/run.ts';
import { today } from '../../planning/business-day.ts';
import type { Service } from '../../service/client.ts';
import { msSince } from '../../support/clock.ts';
import { withinGrace } from '../../support/waiting.ts';
import { beginRun, findHolder, finishRun, type RunStart } from '../../warehouse/ledger/runs.ts';
import type { AppContext } from './app-context.ts';
import { archiveDiscarded } from './archive-discarded.ts';
import { requireSchema } from './database.ts';
import { endingOf } from './ending.ts';
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
  readonly report: (news: Partial<RunProgress>) => void;
};

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
  start: Pick<RunStart, 'kind' | 'command' | 'scheduledFor'>,
  signal: AbortSignal,
  work: (run: Run) => Promise<void>,
): Promise<RunReport> {
  await requireSchema(app.warehouse);
  const lock = await app.takeRunLock();
  if (lock === null) throw await lockHeld(app);
  try {
    return await asRun(app, { ...start, exclusive: true }, AbortSignal.any([signal, lock.lost]), work);
  } finally {
    await lock.release();
  }
}

/** Does `work` as a run, recorded in `etl.runs` however it ends; other runs may be in progress. */
export async function asRun(
  app: AppContext,
  start: Pick<RunStart, 'kind' | 'command' | 'scheduledFor' | 'exclusive'>,
  signal: AbortSignal,
  work: (run: Run) => Promise<void>,
): Promise<RunReport> {
  const runDate = today(app.clock(), app.config.planning.timeZone);
  const origin = { host: os.hostname(), processId: process.pid };
  const id = await beginRun(app.warehouse, { ...start, ...origin, runDate });
  const log = app.log.child({ run: id });
  const run: Run = {
    ...app,
    log,
    id,
    runDate,
    service: app.connect(signal, archiveDiscarded({ ...app, log }, id)),
    signal,
    stats: createRunStats(),
    report: () => {},
  };
  return await completed(run, work);
}

async function completed(run: Run, work: (run: Run) => Promise<void>): Promise<RunReport> {
  const began = performance.now();
  try {
    await withinGrace(work(run), run.signal, graceMs);
  } catch (error) {
    const { line, ...ending } = endingOf(error);
    const summary = { ...run.stats, ended: line };
    // The first error counts; the database may be down.
    await finishRun(run.warehouse, run.id, { ...ending, summary }).catch(() => {});
    throw error;
  }
  const code = exitCodeOf(run.stats);
  const outcome = code === exitCode.done ? 'done' : run.stats.windows.loaded > 0 ? 'partial' : 'failed';
  await finishRun(run.warehouse, run.id, { outcome, exitCode: code, summary: run.stats });
  return { run: run.id, outcome, exitCode: code, ms: msSince(began), stats: run.stats };
}

function exitCodeOf({ failures, windows, deliveries, alerts }: RunStats): ExitCode {
  const undelivered = deliveries.failed + deliveries.refused + deliveries.unknown + alerts.failed;
  const nothingLoaded = windows.failed > 0 && windows.loaded + windows.stale === 0;
  return gravest([
    ...(failures.some((failure) => failure.kind === 'token refused') ? [exitCode.tokenRefused] : []),
    ...(nothingLoaded ? [exitCode.unavailable] : []),
    ...(failures.length > 0 || undelivered > 0 ? [exitCode.runAgain] : []),
  ]);
}

async function lockHeld({ warehouse }: Pick<AppContext, 'warehouse'>): Promise<Failure> {
  const holder = await findHolder(warehouse);
  const who = holder ? `run ${holder.run} on ${holder.host}, since ${holder.startedAt}` : 'it has only begun';
  return new Failure('another run', `another run is at work (${who})`, 'wait for it to end, then run again');
}
