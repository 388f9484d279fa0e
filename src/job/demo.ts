import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Environment } from '../config/environment.ts';
import { generateDataset } from '../simulator/dataset.ts';
import { type Simulator, startSimulator } from '../simulator/server.ts';

/** Accounts, outbox and previews of the demo; its Postgres lies beside them. */
export const demoDirectory = path.join('.callsheet', 'demo');

export type DemoWorld = {
  readonly simulator: Simulator;
  /** Settings for the simulator, as an operator would write them. */
  readonly environment: Environment;
};

/** The simulator, and the settings for it. Of the real environment, only the logging settings apply. */
export async function openDemoWorld(real: Environment): Promise<DemoWorld> {
  const accountsFile = path.join(demoDirectory, 'accounts.json');
  const accounts = generateDataset().accounts.map(({ name, token }) => ({ name, sidtoken: token }));
  await mkdir(demoDirectory, { recursive: true });
  await writeFile(accountsFile, `${JSON.stringify(accounts, null, 2)}\n`, { mode: 0o600 });
  // Last: nobody would close it where one of these fails, and it keeps the process up.
  const simulator = await startSimulator({});
  const environment = {
    SERVICE_BASE_URL: simulator.url,
    ACCOUNTS_FILE: accountsFile,
    DIGEST_TO: 'manager@example.com',
    OUTBOX_DIR: path.join(demoDirectory, 'outbox'),
    LOG_FORMAT: real.LOG_FORMAT || 'pretty',
    LOG_LEVEL: real.LOG_LEVEL || 'info',
  };
  return { simulator, environment };
}
