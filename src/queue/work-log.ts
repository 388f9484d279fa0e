import type { Logger } from '../support/logger.ts';

const tellEveryMs = 10_000;

/** Tells how a worker gets on: a line every ten seconds in which it worked, and not one for each window. */
export function createWorkLog(log: Logger) {
  let [worked, failed] = [0, 0];
  let since = 0;

  function tell(): void {
    if (worked === 0) return;
    const pace = Math.ceil(worked / ((performance.now() - since) / 1_000));
    const lost = failed > 0 ? `, ${failed} of them not finished` : '';
    log.info({ windows: worked, failed }, `${worked} windows worked${lost}, ${pace} a second`);
    [worked, failed] = [0, 0];
  }

  const timer = setInterval(tell, tellEveryMs);
  timer.unref();
  return {
    count(status: 'completed' | 'failed' | 'deadletter'): void {
      if (worked++ === 0) since = performance.now();
      if (status !== 'completed') failed++;
    },
    end(): void {
      clearInterval(timer);
      tell();
    },
  };
}
