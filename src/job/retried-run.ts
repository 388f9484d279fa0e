import { Failure } from '../model/errors.ts';
import { Interrupted } from '../model/exit-code.ts';
import type { OnRunProgress } from '../model/run.ts';
import { isLastAttempt, retryUntil } from '../planning/retry-attempts.ts';
import { pause } from '../support/clock.ts';
import { finishRun } from '../warehouse/ledger/runs.ts';
import { logWait } from './log-wait.ts';
import { attemptNightly, isFull, type NightlyRequest } from './nightly.ts';
import type { AppContext } from './run/app-context.ts';
import { type Attempt, type OngoingRun, onlyAttempt } from './run/attempt.ts';
import { endingOf } from './run/ending.ts';
import type { AttemptEnd, RunReport } from './run/run.ts';
import { createTokenWatch } from './run/token-watch.ts';
import { localExecutor, type WindowExecutor } from './windows/sync-windows.ts';

/** How soon to look again while another run holds the run lock at the time of an attempt. */
const lockWaitMs = 5_000;
/** How long after the last attempt's time somebody may still hold the run lock. */
const maxLockWaitMs = 900_000;
/** A timer stands still while the machine is suspended: the clock is read at least that often. */
const maxPauseMs = 60_000;

export type RetriedRunOptions = {
  /** `--retry-for`, from now on. */
  readonly retryForMs: number;
  readonly onProgress?: OnRunProgress;
  readonly executor?: WindowExecutor;
  /** Tests let time pass. */
  readonly wait?: typeof pause;
};

/**
 * The nightly job with as many attempts as it takes, in this process: `run --retry-for` (design, *`RETRY_FOR`*).
 * Reports how all of it ended. The run lock is free between attempts. An abort of `signal` ends the waiting at once.
 */
export async function retriedRun(
  app: AppContext,
  request: NightlyRequest,
  signal: AbortSignal,
  { retryForMs, onProgress, executor = localExecutor, wait = pause }: RetriedRunOptions,
): Promise<RunReport> {
  const firstStart = app.clock();
  let attempt: Attempt = {
    ...onlyAttempt,
    until: retryUntil({ firstStart, retryForMs, nextScheduled: null }),
    tokenWatch: createTokenWatch(app.tokens),
  };
  const waitOrEnd = async (ms: number) => {
    try {
      await wait(ms, signal);
    } catch (error) {
      await recordInterruption(app, request, attempt.ongoing, error);
      throw error;
    }
  };
  for (;;) {
    const ended = await whenLockIsFree(app, attempt, waitOrEnd, () =>
      attemptNightly(app, request, attempt, signal, onProgress, executor),
    );
    if (ended.next === null) return ended.report!;
    logWait(app, ended);
    attempt = ended.next.attempt;
    await waitUntil(app, ended.next.at, waitOrEnd);
  }
}

/** The first attempt leaves a run in progress to itself; a later one waits for its end. */
async function whenLockIsFree(
  { clock }: Pick<AppContext, 'clock'>,
  { ongoing, until }: Pick<Attempt, 'ongoing' | 'until'>,
  wait: (ms: number) => Promise<void>,
  work: () => Promise<AttemptEnd>,
): Promise<AttemptEnd> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isBusy = error instanceof Failure && error.code === 'RUN_IN_PROGRESS';
      const givesUp = isLastAttempt(clock().subtract({ milliseconds: maxLockWaitMs }), until);
      if (!isBusy || ongoing === null || givesUp) throw error;
      await wait(lockWaitMs);
    }
  }
}

async function waitUntil(
  { clock }: Pick<AppContext, 'clock'>,
  instant: Temporal.Instant,
  wait: (ms: number) => Promise<void>,
): Promise<void> {
  for (;;) {
    const ms = instant.epochMilliseconds - clock().epochMilliseconds;
    if (ms <= 0) return;
    await wait(Math.min(ms, maxPauseMs));
  }
}

async function recordInterruption(
  { warehouse, ping }: Pick<AppContext, 'warehouse' | 'ping'>,
  request: NightlyRequest,
  ongoing: OngoingRun | null,
  error: unknown,
): Promise<void> {
  const { outcome, exitCode, line } = endingOf(error);
  if (ongoing !== null) {
    const summary = { ...ongoing.stats, ended: line };
    // The database may be down.
    await finishRun(warehouse, ongoing.run, { outcome, exitCode, summary }).catch(() => {});
  }
  if (isFull(request)) await ping(exitCode, error instanceof Interrupted);
}
