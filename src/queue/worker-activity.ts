import type { PgBoss } from 'pg-boss';
import { Failure } from '../model/errors.ts';
import { asTyped } from '../support/commands.ts';
import type { Logger } from '../support/logger.ts';
import { isAnyWorkerActive } from './window-jobs.ts';

/** How long no worker may be active before a warning, and before the run ends. */
export type WorkerLimits = { readonly warnMs: number; readonly giveUpMs: number };

export const defaultWorkerLimits: WorkerLimits = { warnMs: 30_000, giveUpMs: 600_000 };

/**
 * Checks that workers are active: a run whose windows nobody takes logs a warning, and ends in time. What it gives is
 * called at each poll with whether windows have ended, and throws a Failure once no worker was active for too long.
 */
export function createActivityCheck(boss: PgBoss, log: Logger, { warnMs, giveUpMs }: WorkerLimits) {
  let activeAt = performance.now();
  let checkedAt = activeAt;
  let warned = false;

  /** A window may take its time: no warning while a worker has one. */
  async function isActive(): Promise<boolean> {
    checkedAt = performance.now();
    return await isAnyWorkerActive(boss);
  }

  return async (ended: boolean): Promise<void> => {
    if (!ended && performance.now() - Math.max(activeAt, checkedAt) < warnMs / 3) return;
    if (ended || (await isActive())) {
      if (warned) log.info('a worker is active');
      warned = false;
      activeAt = performance.now();
      return;
    }
    const silentMs = performance.now() - activeAt;
    const waited = `no worker has taken a window for ${Math.round(silentMs / 1_000)} s`;
    if (silentMs >= giveUpMs) throw noWorker(waited);
    if (silentMs < warnMs || warned) return;
    warned = true;
    log.warn(`${waited}: start one with ${asTyped('worker')}`);
  };
}

function noWorker(waited: string): Failure {
  const advice = `start one with ${asTyped('worker')}, then run again; loaded windows stay loaded`;
  return new Failure('NO_WORKER', waited, { advice });
}
