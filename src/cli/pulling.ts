import type { Parts } from '../job/run/parts.ts';
import { type Pulling, pullingHere } from '../job/windows/pulling.ts';
import { Failure } from '../model/failure.ts';
import { type Settings, withParts } from './context.ts';

/** Does the work of a run with whoever pulls its windows: this process, or workers over the queue. */
export async function withPulling<T>(
  settings: Settings,
  distribute: boolean | undefined,
  work: (parts: Parts, pulling: Pulling) => Promise<T>,
): Promise<T> {
  if (!distribute) return await withParts(settings, (parts) => work(parts, pullingHere));
  requireShared(settings);
  const { withWorkers } = await import('../queue/open.ts');
  return await withParts(settings, (parts) => withWorkers(parts, work));
}

/** A private database is that of one process. */
export function requireShared({ secrets }: Settings): void {
  if (secrets.databaseUrl() !== null) return;
  throw new Failure(
    'configuration',
    'DATABASE_URL is not set, and a private database can not be shared with workers',
    'set DATABASE_URL, the same for the run and its workers',
  );
}
