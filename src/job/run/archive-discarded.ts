import type { OnDiscarded } from '../../service/http/attempt.ts';
import { keepDiscarded } from '../../warehouse/archive/archive.ts';
import type { AppContext } from './app-context.ts';

/** Archives the discarded responses of a run, one by one as they are received. */
export function archiveDiscarded(
  { warehouse, log }: Pick<AppContext, 'warehouse' | 'log'>,
  runId: number,
): OnDiscarded {
  return async ({ name }, response) => {
    try {
      const elapsedMs = performance.now() - response.requestedAt;
      await keepDiscarded(warehouse, { runId, account: name }, response, elapsedMs);
    } catch (error) {
      // The request goes on; a database that is down ends the run at its next statement.
      log.warn({ account: name }, `a discarded response was not archived: ${(error as Error).message}`);
    }
  };
}
