import { today } from '../model/day.ts';
import { lineOf } from '../model/errors.ts';
import { pause } from '../support/clock.ts';
import { isRunLockBusy } from '../warehouse/failures.ts';
import { isFull, type NightlyRequest, nightly } from './nightly.ts';
import type { AppContext } from './run/app-context.ts';
import { endingOf } from './run/ending.ts';
import { retryUntil } from './run/retries.ts';
import { type RunReport, retryAfterError } from './run/run.ts';
import { localExecutor, type WindowExecutor } from './windows/sync-windows.ts';

/**
 * The interval at which to look again while another run holds the run lock, and the time to do so after
 * `retryUntil`.
 */
const lockWaitMs = 5_000;
const maxLockWaitMs = 900_000;
/** A timer stands still while the machine is suspended: the clock is read at least this often. */
const maxPauseMs = 60_000;

export type RetriedRunOptions = {
  /** `--retry-for`, from now on. */
  readonly retryForMs: number;
  readonly executor?: WindowExecutor;
  /** Tests simulate time. */
  readonly wait?: typeof pause;
};

/**
 * The nightly job with as many runs as needed, in this process: `run --retry-for` (design, *`RETRY_FOR`*).
 * Returns the report of the last run. An abort of `signal` ends the waiting at once.
 */
export async function retriedRun(
  app: AppContext,
  request: NightlyRequest,
  signal: AbortSignal,
  { retryForMs, executor = localExecutor, wait = pause }: RetriedRunOptions,
): Promise<RunReport> {
  // If the database can't be used, the first run that begins compares them.
  await app.compareClocks(app.warehouse).catch(() => {});
  const first = {
    ...request,
    runDate: today(app.clock(), app.config.planning.timeZone),
    retryUntil: retryUntil(app.clock(), retryForMs, null),
  };
  for (let number = 1; ; number++) {
    const run = { ...first, number };
    let retryAt: Temporal.Instant;
    try {
      const report = await nightlyOnceFree(run);
      if (report.retryAt === null) return report;
      retryAt = report.retryAt;
    } catch (error) {
      const at = retryAfterError(run, error, app.clock());
      if (at === null) throw error;
      const { failure } = endingOf(error);
      app.log.warn(`retry: ${lineOf(failure!)}`);
      retryAt = at;
    }
    await waitUntil(retryAt);
  }

  /** If another run is running, the first run ends; a retry waits for it, unless that was this retry. */
  async function nightlyOnceFree(run: typeof first & { readonly number: number }): Promise<RunReport> {
    const givesUpAt = run.retryUntil.add({ milliseconds: maxLockWaitMs });
    for (;;) {
      try {
        return await nightly(app, run, signal, executor);
      } catch (error) {
        const isOver = Temporal.Instant.compare(app.clock(), givesUpAt) >= 0;
        if (!isRunLockBusy(error) || run.number === 1 || isOver) throw error;
        await waitOrPing(lockWaitMs);
      }
    }
  }

  async function waitUntil(instant: Temporal.Instant): Promise<void> {
    for (;;) {
      const ms = instant.epochMilliseconds - app.clock().epochMilliseconds;
      if (ms <= 0) return;
      await waitOrPing(Math.min(ms, maxPauseMs));
    }
  }

  /** If it is interrupted between two runs, that is the result of all of them. */
  async function waitOrPing(ms: number): Promise<void> {
    try {
      await wait(ms, signal);
    } catch (error) {
      if (isFull(request)) await app.ping(endingOf(error).exitCode, undefined, true);
      throw error;
    }
  }
}
