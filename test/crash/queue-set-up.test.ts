import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startWorker } from '../queue/workers.ts';
import { callsheet, type Ended } from '../support/callsheet.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const days = ['--from', '2026-03-01', '--to', '2026-03-02'];
const noteModules = path.resolve(import.meta.dirname, '../support/note-modules.ts');

/** Types a command; `packages` are those that it loaded. */
async function noting(args: readonly string[]): Promise<Ended & { readonly packages: readonly string[] }> {
  const list = path.join(world.folder, 'modules');
  await writeFile(list, '');
  const environment = { ...world.environment, NODE_OPTIONS: `--import=${noteModules}`, NOTE_MODULES: list };
  const ended = await callsheet(args, environment);
  return { ...ended, packages: (await readFile(list, 'utf8')).split('\n') };
}

it('without the schema of the queue, distributed commands end with one line, and others neither need nor load it', async () => {
  for (const args of [['run', ...days, '--distribute'], ['worker']])
    expect(await callsheet(args, world.environment)).toMatchObject({
      code: 78,
      stderr:
        "callsheet: the queue of this version isn't set up (schema etl_queue): run: npm start -- migrate --queue\n",
    });
  expect(await world.query('select from etl.runs')).toEqual([]);
  const { code, packages } = await noting(['run', ...days]);
  expect(code).toBe(0);
  expect(packages).toContain('pg');
  expect(packages).not.toContain('pg-boss');
});

it('a private database can not be shared with workers', async () => {
  const { DATABASE_URL: _, ...environment } = world.environment;
  expect(await callsheet(['worker'], environment, world.folder)).toMatchObject({
    code: 78,
    stderr:
      "callsheet: DATABASE_URL is not set, and workers can't share a private database: set DATABASE_URL, the same for the run and its workers\n",
  });
});

it('migrate --queue, which may be repeated, sets up the queue', async () => {
  for (let times = 0; times < 2; times++) {
    const { code, stderr, packages } = await noting(['migrate', '--queue']);
    expect({ code, line: JSON.parse(stderr.trim().split('\n').at(-1)!).msg }).toEqual({
      code: 0,
      line: 'the queue is set up: start workers with npm start -- worker',
    });
    expect(packages).toContain('pg-boss');
  }
  await using _worker = startWorker(world.environment);
  const backfill = ['backfill', ...days, '--distribute'];
  expect(await callsheet(backfill, world.environment)).toMatchObject({ code: 0, stdout: '' });
  const loaded = await world.query(`select count(*)::int from etl.windows where state = 'loaded'`);
  expect(loaded).toEqual([{ count: 6 }]);
});
