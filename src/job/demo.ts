import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Environment } from '../config/environment.ts';
import { generateDataset } from '../simulator/dataset.ts';
import { type Simulator, startSimulator } from '../simulator/server.ts';

/** Where the demo keeps its accounts, outbox and previews; its Postgres lies beside them. */
export const demoDirectory = path.join('.callsheet', 'demo');

export type DemoWorld = {
  readonly simulator: Simulator;
  /** Settings as an operator would write them, of the stand-in. */
  readonly environment: Environment;
};

/** The stand-in service, and the settings for it. Nothing of the real environment comes in but how to log. */
export async function openDemoWorld(real: Environment): Promise<DemoWorld> {
  const simulator = await startSimulator({});
  const accountsFile = path.join(demoDirectory, 'accounts.json');
  const accounts = generateDataset().accounts.map(({ name, token }) => ({ name, sidtoken: token }));
  await mkdir(demoDirectory, { recursive: true });
  await writeFile(accountsFile, `${JSON.stringify(accounts, null, 2)}\n`);
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
