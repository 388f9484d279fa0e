import os from 'node:os';
import type { Day } from '../../model/day.ts';
import { Failure } from '../../model/errors.ts';
import type { ExitCode } from '../../model/exit-code.ts';
import type { RunKind, RunOutcome, RunProgress } from '../../model/run.ts';
import { today } from '../../planning/business-day.ts';
import type { Service } from '../../service/service.ts';
import { msSince, withinGrace } from '../../support/clock.ts';
import { lockHeldByOther } from '../../warehouse/failures.ts';
import { findLockHolder } from '../../warehouse/ledger/lock-holder.ts';
import { beginRun, finishRun, pauseRun, resumeRun } from '../../warehouse/ledger/runs.ts';
import type { AppContext } from './app-context.ts';
import { type Attempt, onlyAttempt } from './attempt.ts';
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

/** A run to begin or to go on with: what it is to do, and which kind of run does that. */
export type RunStart = RunRequest & {
  readonly kind: RunKind;
  /** One attempt alone by default. */
  readonly attempt?: Pick<Attempt, 'until' | 'runDate' | 'ongoing'>;
  /** What it did so far; nothing by default. */
  readonly stats?: RunStats;
  /** When the run goes on after an error that ended this attempt; null for never, the default. */
  readonly retryAfter?: (error: unknown) => Temporal.Instant | null;
};

/** What a run does; gives when its next attempt begins, or nothing where it is over. */
export type RunWork = (run: Run) => Promise<Temporal.Instant | undefined>;

export type RunReport = {
  readonly run: number;
  readonly outcome: RunOutcome;
  readonly exitCode: ExitCode;
  /** Of this attempt. */
  readonly ms: number;
  /** Of all its attempts. */
  readonly stats: RunStats;
  /** When its next attempt begins; null where the run is over. */
  readonly retryAt: Temporal.Instant | null;
};

/** How an attempt ended. */
export type AttemptEnd = {
  /** Null where the database was lost. */
  readonly report: RunReport | null;
  /** Why there is no report. */
  readonly error: unknown;
  /** The next attempt, and when it begins; null where the run is over. */
  readonly next: { readonly at: Temporal.Instant; readonly attempt: Attempt } | null;
};

/** How long requests in flight may take once a run is interrupted; supervisors wait longer before they kill. */
const graceMs = 6_000;

/** Does `work` as the only run, recorded in `etl.runs` however it ends. */
export async function asOnlyRun(
  app: AppContext,
  start: RunStart,
  signal: AbortSignal,
  work: RunWork,
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
  start: RunStart,
  signal: AbortSignal,
  work: RunWork,
  exclusive = false,
): Promise<RunReport> {
  const clock = await app.readRunClock();
  const { id, runDate } = await recordStart({ ...app, clock }, start, exclusive);
  const run: Run = {
    ...app,
    clock,
    log: app.log.child({ run: id }),
    id,
    runDate,
    service: app.connect(signal, id),
    signal,
    stats: start.stats ?? createRunStats(),
    report: () => {},
  };
  const warning = clockWarning(clock, app.clock);
  if (warning !== null) run.log.warn(warning);
  return await completed(run, work, start.retryAfter ?? (() => null));
}

/** Records that a run begins, or that its next attempt does: then it keeps its run date. */
async function recordStart(
  { warehouse, clock, config }: Pick<AppContext, 'warehouse' | 'clock' | 'config'>,
  { kind, command, scheduledFor = null, attempt = onlyAttempt }: RunStart,
  exclusive: boolean,
): Promise<{ readonly id: number; readonly runDate: Day }> {
  const worker = { host: os.hostname(), processId: process.pid };
  if (attempt.ongoing !== null) {
    const { run: id, runDate, attempts } = attempt.ongoing;
    await resumeRun(warehouse, { ...worker, runId: id, attempts });
    return { id, runDate };
  }
  const runDate = attempt.runDate ?? today(clock(), config.planning.timeZone);
  const id = await beginRun(warehouse, {
    ...worker,
    kind,
    command,
    scheduledFor,
    exclusive,
    runDate,
    retryUntil: attempt.until?.toString() ?? null,
  });
  return { id, runDate };
}

async function completed(
  run: Run,
  work: RunWork,
  retryAfter: NonNullable<RunStart['retryAfter']>,
): Promise<RunReport> {
  const { warehouse, id, signal, stats } = run;
  const began = performance.now();
  let retryAt: Temporal.Instant | undefined;
  try {
    retryAt = await withinGrace(work(run), signal, graceMs);
  } catch (error) {
    const { line, code, ...ending } = endingOf(error);
    const summary = { ...stats, ended: line, endedCode: code };
    const next = retryAfter(error);
    const recorded =
      next === null
        ? finishRun(warehouse, id, { ...ending, summary })
        : pauseRun(warehouse, id, { retryAt: next.toString(), summary });
    // The first error counts; the database may be down.
    await recorded.catch(() => {});
    throw error;
  }
  const ending = endingOfStats(stats);
  if (retryAt === undefined) await finishRun(warehouse, id, { ...ending, summary: stats });
  else await pauseRun(warehouse, id, { retryAt: retryAt.toString(), summary: stats });
  return {
    run: id,
    ...ending,
    ms: msSince(began),
    stats,
    retryAt: retryAt ?? null,
  };
}

async function lockHeld({ warehouse }: Pick<AppContext, 'warehouse'>): Promise<Failure> {
  const holder = await findLockHolder(warehouse);
  if (holder?.run === null) return lockHeldByOther(holder);
  const run = holder?.run;
  const who = run ? `run ${run.id} on ${run.host}, since ${run.startedAt}` : 'it has ended just now';
  return new Failure(
    'RUN_IN_PROGRESS',
    `another run is at work (${who})`,
    'wait for it to end, then run again',
  );
}
