import type { PgBoss } from 'pg-boss';
import { Failure } from '../model/failure.ts';
import { npmCommand } from '../support/commands.ts';
import type { Logger } from '../support/logger.ts';
import { isAnyWorkerActive } from './window-jobs.ts';

/** How long no worker may be active before a warning, and before the run ends. */
export type WorkerLimits = { readonly warnMs: number; readonly giveUpMs: number };

export const defaultWorkerLimits: WorkerLimits = { warnMs: 30_000, giveUpMs: 600_000 };

/** Watches for signs of workers: a run whose windows nobody takes logs a warning, and ends in time. */
export function createSigns(boss: PgBoss, log: Logger, { warnMs, giveUpMs }: WorkerLimits) {
  let lastSign = performance.now();
  let lastCheck = lastSign;
  let warned = false;

  function seen(): void {
    if (warned) log.info('a worker is active');
    warned = false;
    lastSign = performance.now();
  }

  return {
    /** Called at each poll; throws a Failure once no worker was active for too long. */
    async note(ended: boolean): Promise<void> {
      if (ended) return seen();
      // A window may take its time: no warning while a worker has one.
      if (performance.now() - Math.max(lastSign, lastCheck) < warnMs / 3) return;
      lastCheck = performance.now();
      if (await isAnyWorkerActive(boss)) return seen();
      const silentMs = performance.now() - lastSign;
      const waited = `no worker has taken a window for ${Math.round(silentMs / 1_000)} s`;
      if (silentMs >= giveUpMs)
        throw new Failure(
          'no worker',
          waited,
          `start one with ${npmCommand('worker')}, then run again; loaded windows stay loaded`,
        );
      if (silentMs >= warnMs && !warned) {
        warned = true;
        log.warn(`${waited}: start one with ${npmCommand('worker')}`);
      }
    },
  };
}
