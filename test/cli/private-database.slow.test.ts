import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { callsheet } from '../support/callsheet.ts';
import { scratchFolder } from '../support/scratch.ts';
import { type Simulator, startSimulator } from '../support/simulator.ts';

let folder: string;
let simulator: Simulator;

beforeAll(async () => {
  folder = await scratchFolder('callsheet-clone-');
  simulator = await startSimulator();
});
afterAll(async () => {
  await simulator.close();
  await rm(folder, { recursive: true, force: true });
});

it('a run needs no more than an address and a token: it keeps a private Postgres and writes the mail to a folder', async () => {
  const [account] = generateDataset().accounts;
  const environment = { SERVICE_BASE_URL: simulator.url, SIDTOKEN: account!.token };
  const first = await callsheet(['run'], environment, folder);
  expect(first.code).toBe(0);
  expect(first.stderr).toContain('DATABASE_URL is not set');
  expect(first.stderr).toMatch(
    /look into it: PGPASSWORD=\S+ \S+ psql .*host=127\.0\.0\.1 .* dbname=callsheet/,
  );
  const mails = await readdir(path.join(folder, 'outbox'));
  expect(mails).toHaveLength(1);
  expect(mails[0]).toMatch(/^campaigns-\d{4}-\d\d-\d\d-manager@localhost\.eml$/);

  const second = await callsheet(['run'], environment, folder);
  expect(second.code).toBe(0);
  expect(second.stderr).toContain('nothing left to load today');
  expect(await readdir(path.join(folder, 'outbox'))).toEqual(mails);
});
