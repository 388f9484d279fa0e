import type { Parts } from '../job/run/parts.ts';
import type { Settings } from './context.ts';

/**
 * Does `work` with the server up, where the settings want one.
 *
 * @param nextRun is asked whenever a page is served
 */
export async function withServer(
  { config, secrets }: Settings,
  parts: Parts,
  nextRun: () => Temporal.Instant,
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
    nextRun,
  });
  try {
    await work();
  } finally {
    await server.close();
  }
}
