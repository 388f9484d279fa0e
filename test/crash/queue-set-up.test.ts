import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorker } from '../queue/workers.ts';
import { callsheet } from '../support/callsheet.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const days = ['--from', '2026-03-01', '--to', '2026-03-02'];
const distributed = [['run', ...days, '--distribute'], ['backfill', ...days, '--distribute'], ['worker']];
const noteModules = path.resolve(import.meta.dirname, '../support/note-modules.ts');

/** The packages that a command loads. */
async function loadedBy(args: readonly string[]): Promise<string[]> {
  const list = path.join(world.folder, 'modules');
  await writeFile(list, '');
  const environment = { ...world.environment, NODE_OPTIONS: `--import=${noteModules}`, NOTE_MODULES: list };
  await callsheet(args, environment);
  return (await readFile(list, 'utf8')).split('\n');
}

describe('without its schema, the queue', () => {
  it.each(distributed)('lets %s %s end with one line that suggests a command', async (...args) => {
    const { code, stderr } = await callsheet(args, world.environment);
    expect({ code, stderr }).toEqual({
      code: 78,
      stderr:
        "callsheet: the queue of this version isn't set up (schema etl_queue): run: npm start -- migrate --queue\n",
    });
    expect(await world.query('select from etl.runs')).toEqual([]);
  });

  it.each([...distributed, ['migrate', '--queue']])(
    'can not be shared where the database is private: %s %s',
    async (...args) => {
      const { DATABASE_URL: _, ...environment } = world.environment;
      const { code, stderr } = await callsheet(args, environment, world.folder);
      expect(code).toBe(78);
      expect(stderr).toBe(
        'callsheet: DATABASE_URL is not set, and a private database can not be shared with workers: set DATABASE_URL, the same for the run and its workers\n',
      );
    },
  );

  it('is no matter to anybody else', async () => {
    expect(await callsheet(['status', '--json'], world.environment)).toMatchObject({ code: 75 });
    expect(await callsheet(['run', ...days], world.environment)).toMatchObject({ code: 0 });
  });

  it('goes without a dry run', async () => {
    const { code, stderr } = await callsheet(['run', '--dry-run', '--distribute'], world.environment);
    expect({ code, stderr }).toEqual({
      code: 64,
      stderr: 'callsheet: --dry-run goes without --distribute: see --help\n',
    });
  });
});

describe('once it is set up', () => {
  it('by migrate --queue, which may be repeated, it works', async () => {
    for (let times = 0; times < 2; times++) {
      const { code, stderr } = await callsheet(['migrate', '--queue'], world.environment);
      expect({ code, line: JSON.parse(stderr.trim().split('\n').at(-1)!).msg }).toEqual({
        code: 0,
        line: 'the queue is set up: start workers with npm start -- worker',
      });
    }
    await using _worker = startWorker(world.environment);
    const later = ['backfill', '--from', '2026-03-03', '--to', '2026-03-04', '--distribute'];
    expect(await callsheet(later, world.environment)).toMatchObject({ code: 0, stdout: '' });
    const loaded = await world.query(`select count(*)::int from etl.windows where state = 'loaded'`);
    expect(loaded).toEqual([{ count: 12 }]);
  });

  it('is loaded by the commands that need it alone', async () => {
    expect(await loadedBy(['migrate', '--queue'])).toContain('pg-boss');
    for (const args of [['run', ...days], ['backfill', ...days], ['status'], ['migrate']]) {
      const packages = await loadedBy(args);
      expect(packages, args[0]).toContain('pg');
      expect(packages, args[0]).not.toContain('pg-boss');
    }
  });
});
