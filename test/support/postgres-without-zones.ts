import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { migrate } from '../../src/job/run/database.ts';
import { embeddedPrograms } from '../../src/private-postgres/server.ts';
import { keepPostgres } from './postgres-keeper.ts';
import { scratchFolder } from './scratch.ts';

/** Starts a Postgres without the time zones of a folder, such as `US`, and migrates a database. */
export async function startWithoutZones(
  zones: string,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const folder = await scratchFolder('callsheet-zones-');
  const native = path.join(folder, 'native');
  await cp(path.dirname(embeddedPrograms()), native, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !source.endsWith(path.join('timezone', zones)),
  });
  const server = await keepPostgres({
    directory: path.join(folder, 'server'),
    binaries: path.join(native, 'bin'),
    temporary: true,
  });
  await migrate(server.url);
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
