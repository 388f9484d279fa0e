import { chmod, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { read, root } from '../deploy/known.ts';
import { callsheet, runIn } from '../support/callsheet.ts';
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

it('its folder is backed up and restored with the commands of docs/operations.md, and nobody gets a mail twice', async () => {
  const [, section] = read('docs/operations.md').split('### The private Postgres of a clone');
  const [dumping, restoring] = [...section!.split('\n## ')[0]!.matchAll(/```sh\n(.*?)```/gs)].map(
    ([, block]) => block!.trim().split('\n'),
  );
  const [account] = generateDataset().accounts;
  const settings = { SERVICE_BASE_URL: simulator.url, SIDTOKEN: account!.token };
  // What `npm start -- COMMAND` does in a clone.
  const npm = path.join(folder, 'npm');
  await writeFile(npm, `#!/bin/sh\nshift 2\nexec '${process.execPath}' '${root}/src/main.ts' "$@"\n`);
  await chmod(npm, 0o755);
  const type = (line: string) =>
    runIn(folder, 'sh', ['-c', line], { PATH: `${folder}:${process.env.PATH}`, ...settings });
  const backfill = 'npm start -- backfill --from 2026-03-01 --to 2026-03-02';
  const mails = await readdir(path.join(folder, 'outbox'));

  for (const line of dumping!) expect({ line, ...(await type(line)) }).toMatchObject({ line, code: 0 });
  expect((await stat(path.join(folder, 'callsheet.tar.gz'))).mode & 0o777).toBe(0o600);
  expect((await type(backfill)).stderr).toContain('2 days loaded');
  expect((await type(backfill)).stderr).toContain('every day from 2026-03-01 to 2026-03-02 is loaded');
  for (const line of restoring!) expect({ line, ...(await type(line)) }).toMatchObject({ line, code: 0 });
  expect((await type(backfill)).stderr).toContain('2 days loaded');
  expect(await readdir(path.join(folder, 'outbox'))).toEqual(mails);
});
