import { loadConfig } from '../../src/config/load.ts';
import { assemble } from '../../src/job/assemble.ts';
import type { Parts } from '../../src/job/parts.ts';
import { createLogger } from '../../src/support/logger.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import type { World } from './world.ts';

/** Does `work` with the real parts of a world, at an instant that the test chooses. */
export async function atInstant<T>(
  world: Pick<World, 'environment' | 'databaseUrl'>,
  instant: string,
  work: (parts: Parts) => Promise<T>,
  settings: World['environment'] = {},
): Promise<T> {
  const redactor = createRedactor();
  const loaded = loadConfig({ ...world.environment, ...settings }, { service: true }, redactor);
  const clock = () => Temporal.Instant.from(instant);
  const parts = assemble(loaded, world.databaseUrl, createLogger('silent', 'json', redactor), clock);
  try {
    return await work(parts);
  } finally {
    await parts.warehouse.destroy();
  }
}

export const never = new AbortController().signal;
