import type { ScheduledTimes } from '../cron/scheduled-times.ts';
import type { Parts } from '../job/parts.ts';
import type { Settings } from './context.ts';

/** Does `work` with the server up, where the settings want one. */
export async function withServer(
  { config, secrets }: Settings,
  parts: Parts,
  slots: ScheduledTimes,
  work: () => Promise<void>,
): Promise<void> {
  const { port, host, names } = config.http;
  if (port === null) return await work();
  // Only `schedule` needs it, and every other command would wait for it.
  const { startServer } = await import('../server/start.ts');
  const server = await startServer(parts, {
    host,
    port,
    names,
    token: secrets.httpToken(),
    nextRun: () => slots.next(parts.clock()),
  });
  try {
    await work();
  } finally {
    await server.close();
  }
}
