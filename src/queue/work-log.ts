import type { Logger } from '../support/logger.ts';

const logEveryMs = 10_000;

/** Logs a worker's progress: a line every ten seconds in which it worked, not one for each window. */
export function createWorkLog(log: Logger) {
  let worked = 0;
  let failed = 0;
  let since = 0;

  function logWork(): void {
    if (worked === 0) return;
    const pace = Math.ceil(worked / ((performance.now() - since) / 1_000));
    const unfinished = failed > 0 ? `, ${failed} of them unfinished` : '';
    log.info({ windows: worked, failed }, `${worked} windows worked${unfinished}, ${pace} a second`);
    worked = 0;
    failed = 0;
  }

  const timer = setInterval(logWork, logEveryMs);
  timer.unref();
  return {
    count(status: 'completed' | 'failed' | 'deadletter'): void {
      if (worked === 0) since = performance.now();
      worked++;
      if (status !== 'completed') failed++;
    },
    end(): void {
      clearInterval(timer);
      logWork();
    },
  };
}
