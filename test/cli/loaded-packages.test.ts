import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended, startCallsheet } from '../support/callsheet.ts';
import { openWorld, type World } from '../support/world.ts';

const recorder = path.resolve(import.meta.dirname, '../support/record-packages.ts');
let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** The packages that a command loads from its start to its end: by itself, or when it waits for the next night. */
async function loadedBy(command: string): Promise<string[]> {
  const file = path.join(world.folder, 'packages.txt');
  const recording = { NODE_OPTIONS: `--import=${recorder}`, LOADED_PACKAGES: file };
  const child = startCallsheet(command.split(' '), { ...world.environment, ...recording });
  createInterface(child.stderr).on('line', (line) => {
    if (line.includes('waiting for')) child.kill();
  });
  const { code, stderr } = await ended(child);
  // Whether a gap is left to tell of depends on the day that the tests run on.
  expect(code, stderr).toBeOneOf(command === 'schedule' ? [143] : [0, 75]);
  return (await readFile(file, 'utf8')).split('\n');
}

describe('Kysely, which costs time and memory at a start', () => {
  it.each([
    'run --day 2026-11-19',
    'backfill --from 2026-11-18 --to 2026-11-19',
    'replay --from 2026-11-18 --to 2026-11-19',
    'digest --day 2026-11-19',
    'accept --day 2026-11-19',
    'status',
    'doctor',
    'migrate --status',
    'schedule',
  ])('is not loaded by `%s`', async (command) => {
    const packages = await loadedBy(command);
    expect(packages).toContain('pg');
    expect(packages).not.toContain('kysely');
  });

  it('is loaded by `migrate`', async () => {
    expect(await loadedBy('migrate')).toContain('kysely');
  });
});
