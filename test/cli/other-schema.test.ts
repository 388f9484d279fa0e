import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command } from '../support/command.ts';
import { openWorld, type World } from '../support/world.ts';

const days = ['--from', '2026-03-01', '--to', '2026-03-02'];

/** Each command with the arguments to try. */
const usesWarehouse: Readonly<Record<string, readonly (readonly string[])[]>> = {
  accept: [['--day', '2026-03-01']],
  backfill: [days],
  digest: [['--day', '2026-03-01', '--preview', 'nowhere']],
  doctor: [[]],
  forget: [['--account', 'gone', '--yes']],
  migrate: [[], ['--status']],
  replay: [days],
  run: [[], ['--dry-run']],
  schedule: [[]],
  status: [[]],
  worker: [[]],
};
const needsNone = ['campaigns', 'clients', 'demo', 'init', 'simulate'];

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

async function expectRefused(args: readonly string[], line: RegExp): Promise<void> {
  const { code, stdout, stderr } = await command(args, world.environment);
  expect(code).toBe(78);
  if (args[0] === 'doctor') expect(stdout).toMatch(line);
  else expect(stderr.trimEnd().split('\n')).toEqual([expect.stringMatching(line)]);
  expect(await world.query('select from etl.runs union all select from warehouse.accounts')).toEqual([]);
}

describe('a schema of a newer version', () => {
  const newer = '9999-of-a-newer-version';
  beforeAll(async () => {
    await world.query(`insert into etl.migrations values ('${newer}', '2026-11-20T00:00:00Z')`);
    await world.query(`insert into etl.migration_contents values ('${newer}', 'of a newer version')`);
  });
  afterAll(async () => {
    await world.query(`delete from etl.migrations where name = '${newer}'`);
    await world.query(`delete from etl.migration_contents where name = '${newer}'`);
  });

  it('is tried by every command that uses the warehouse', () => {
    const files = readdirSync(path.resolve(import.meta.dirname, '../../src/cli/commands'));
    const commands = [...Object.keys(usesWarehouse), ...needsNone].sort();
    expect(files.map((file) => path.parse(file).name).sort()).toEqual(commands);
  });

  it.each(Object.entries(usesWarehouse).flatMap(([command, all]) => all.map((args) => [[command, ...args]])))(
    'is refused by %j, which exits with 78, says so in a line and writes nothing',
    async (args) => {
      await expectRefused(args, /is newer than this version, by 1 migration from 9999-of-a-newer-version/);
    },
  );
});

describe('a schema that other content of a migration made', () => {
  beforeAll(async () => {
    await world.query(
      `update etl.migration_contents set sha256 = 'of other content, not ' || sha256 where name = '0004-runs'`,
    );
  });
  afterAll(async () => {
    await world.query(
      `update etl.migration_contents set sha256 = replace(sha256, 'of other content, not ', '')`,
    );
  });

  it.each([[['migrate']], [['run']], [['doctor']]])('is refused by %j, with what to do', async (args) => {
    await expectRefused(
      args,
      /by edited migrations: 1 migration differs from this version, from 0004-runs on(.|\n)*use the version of Callsheet that/,
    );
  });
});
