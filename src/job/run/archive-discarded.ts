import type { OnDiscarded } from '../../service/http/attempt.ts';
import { keepDiscarded } from '../../warehouse/archive/archive.ts';
import type { AppContext } from './app-context.ts';

/** Archives the discarded responses of a run, one by one as they are received. */
export function archiveDiscarded({ warehouse, log }: AppContext, runId: number): OnDiscarded {
  return async ({ name }, response) => {
    try {
      const elapsedMs = performance.now() - response.requestedAt;
      await keepDiscarded(warehouse, { runId, account: name }, response, elapsedMs);
    } catch (error) {
      // The request goes on; the next use of the database shows whether it is there.
      log.warn({ account: name }, `a discarded response was not archived: ${(error as Error).message}`);
    }
  };
}
