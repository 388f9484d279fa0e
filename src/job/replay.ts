import type { OnProgress } from '../model/run.ts';
import { replayClients } from './replay/replay-clients.ts';
import { type ReplayScope, replayWindows } from './replay/replay-windows.ts';
import type { AppContext } from './run/app-context.ts';
import { asOnlyRun, type RunReport, type RunRequest } from './run/run.ts';

export type ReplayRequest = RunRequest & ReplayScope;

/**
 * Rebuilds the warehouse from the archive, without the service: each window of the days, and the clients of accounts
 * whose walks all lie within them. What was decided on each response is followed, not decided again; with `reread` but
 * for those that couldn't be read, which are parsed by the reader of today. A window or an account whose archive isn't
 * whole stays as it is.
 */
export async function replay(
  app: AppContext,
  request: ReplayRequest,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<RunReport> {
  return await asOnlyRun(app, { ...request, kind: 'replay' }, signal, async (run) => {
    await replayWindows(run, request, onProgress);
    await replayClients(run, request);
  });
}
