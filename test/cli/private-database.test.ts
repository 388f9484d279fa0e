import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import { callsheet } from '../support/callsheet.ts';
import { scratchFolder } from '../support/scratch.ts';

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
  const mails = await readdir(path.join(folder, 'outbox'));
  expect(mails).toHaveLength(1);
  expect(mails[0]).toMatch(/^campaigns-\d{4}-\d\d-\d\d-manager@localhost\.eml$/);

  const second = await callsheet(['run'], environment, folder);
  expect(second.code).toBe(0);
  expect(second.stderr).toContain('nothing is due');
  expect(await readdir(path.join(folder, 'outbox'))).toEqual(mails);
});

it('the demo shows everything, and a second one adds nothing', async () => {
  const first = await callsheet(['demo'], {}, folder);
  const second = await callsheet(['demo'], {}, folder);
  expect([first.code, second.code]).toEqual([0, 0]);
  const rows = (text: string) =>
    [...text.matchAll(/^ +(\d+) {2}(warehouse\.\w+|etl\.de\w+)$/gm)].map((match) => match[0]);
  expect(rows(first.stdout).length).toBeGreaterThan(5);
  expect(rows(second.stdout)).toEqual(rows(first.stdout));
  const files = await readdir(path.join(folder, '.callsheet/demo/digest'));
  expect(files.map((file) => path.extname(file)).sort()).toEqual(['.csv', '.eml', '.html', '.txt']);
  expect(first.stdout).toContain('npm start -- demo --keep');
  for (const { token } of generateDataset().accounts)
    expect(first.stderr + first.stdout).not.toContain(token);
});
