import type { AppContext } from '../job/run/app-context.ts';
import { localExecutor, type WindowExecutor } from '../job/windows/sync-windows.ts';
import { Failure } from '../model/failure.ts';
import { type Settings, withApp } from './context.ts';

/** Does the work of a run whose windows this process syncs or, distributed, workers. */
export async function withExecutor<T>(
  settings: Settings,
  distribute: boolean | undefined,
  work: (app: AppContext, executor: WindowExecutor) => Promise<T>,
): Promise<T> {
  if (!distribute) return await withApp(settings, (app) => work(app, localExecutor));
  requireShared(settings);
  const { withWorkers } = await import('../queue/with-workers.ts');
  return await withApp(settings, (app) => withWorkers(app, work));
}

/** A private database belongs to one process. */
export function requireShared({ secrets }: Settings): void {
  if (secrets.databaseUrl() !== null) return;
  throw new Failure(
    'configuration',
    'DATABASE_URL is not set, and a private database can not be shared with workers',
    'set DATABASE_URL, the same for the run and its workers',
  );
}
