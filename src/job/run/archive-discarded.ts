import type { OnDiscarded } from '../../service/http/attempt.ts';
import { keepDiscarded } from '../../warehouse/archive/archive.ts';
import type { AppContext } from './app-context.ts';

/** Archives the answers of a run that can't be used, one by one as they come. */
export function archiveDiscarded({ warehouse, log }: AppContext, runId: number): OnDiscarded {
  return async ({ name }, answer) => {
    try {
      await keepDiscarded(warehouse, { runId, account: name }, answer, performance.now() - answer.askedAt);
    } catch (error) {
      // The question goes on; whether the database is there, its next use tells.
      log.warn(
        { account: name },
        `an answer that can't be used was not archived: ${(error as Error).message}`,
      );
    }
  };
}
