import type { PgBoss } from 'pg-boss';
import { Failure } from '../model/failure.ts';
import type { Logger } from '../support/logger.ts';
import { someoneWorks } from './window-jobs.ts';

/** How long nobody may work before that is told, and before it ends the run. */
export type Patience = { readonly tellMs: number; readonly giveUpMs: number };

export const usualPatience: Patience = { tellMs: 30_000, giveUpMs: 600_000 };

/** Watches for signs of workers: a run whose windows nobody takes says so, and doesn't wait for ever. */
export function createSigns(boss: PgBoss, log: Logger, { tellMs, giveUpMs }: Patience) {
  let lastSign = performance.now();
  let lastLook = lastSign;
  let told = false;

  function seen(): void {
    if (told) log.info('a worker is there');
    told = false;
    lastSign = performance.now();
  }

  return {
    /** To be called now and then; throws a Failure once nobody has worked for too long. */
    async note(ended: boolean): Promise<void> {
      if (ended) return seen();
      // Windows may take their time: while one is in a worker's hands, all is well.
      if (performance.now() - Math.max(lastSign, lastLook) < tellMs / 3) return;
      lastLook = performance.now();
      if (await someoneWorks(boss)) return seen();
      const silentMs = performance.now() - lastSign;
      const waited = `no worker has taken a window for ${Math.round(silentMs / 1_000)} s`;
      if (silentMs >= giveUpMs)
        throw new Failure(
          'no worker',
          waited,
          'start one with npm start -- worker, then run again; what is loaded stays',
        );
      if (silentMs >= tellMs && !told) {
        told = true;
        log.warn(`${waited}: start one with npm start -- worker`);
      }
    },
  };
}
