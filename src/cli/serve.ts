import type { AppContext } from '../job/run/app-context.ts';
import type { Settings } from './context.ts';

/**
 * Does `work` with the server up, where the settings want one.
 *
 * @param nextRun is called for each page
 */
export async function withServer(
  { config, secrets }: Settings,
  app: AppContext,
  nextRun: () => Temporal.Instant,
  work: () => Promise<void>,
): Promise<void> {
  const { port, host, names } = config.http;
  if (port === null) return await work();
  // Only `schedule` needs it; every other command would load it, too.
  const { startServer } = await import('../server/start.ts');
  const server = await startServer(app, {
    host,
    port,
    names,
    token: secrets.httpToken(),
    nextRun,
  });
  try {
    await work();
  } finally {
    await server.close();
  }
}
