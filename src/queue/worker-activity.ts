import type { PgBoss } from 'pg-boss';
import { Failure } from '../model/errors.ts';
import { asTyped } from '../support/commands.ts';
import { formatDuration } from '../support/english.ts';
import type { Logger } from '../support/logger.ts';
import { isAnyWorkerActive } from './window-jobs.ts';

/** Time without an active worker before a warning, and before the run ends. */
export type WorkerLimits = { readonly warnMs: number; readonly giveUpMs: number };

export const defaultWorkerLimits: WorkerLimits = { warnMs: 30_000, giveUpMs: 600_000 };

/**
 * Creates a check for active workers, called at each poll with whether a window has ended. It logs a warning after
 * `warnMs` without one, and throws a Failure after `giveUpMs`.
 */
export function createActivityCheck(boss: PgBoss, log: Logger, { warnMs, giveUpMs }: WorkerLimits) {
  let activeAt = performance.now();
  let checkedAt = activeAt;
  let warned = false;

  /** A worker counts as active for as long as a window takes. */
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
    const waited = `no worker has taken a window for ${formatDuration(silentMs)}`;
    if (silentMs >= giveUpMs)
      throw new Failure('NO_WORKER', waited, {
        advice: `start one with ${asTyped('worker')}, then run again; loaded windows stay loaded`,
      });
    if (silentMs < warnMs || warned) return;
    warned = true;
    log.warn(`${waited}: start one with ${asTyped('worker')}`);
  };
}
