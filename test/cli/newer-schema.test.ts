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
  await world.query(
    `insert into etl.migrations (name, timestamp) values ('9999-of-a-newer-version', '2026-11-20T00:00:00Z')`,
  );
});
afterAll(() => world.close());

describe('a schema of a newer version', () => {
  it('is tried by every command that uses the warehouse', () => {
    const files = readdirSync(path.resolve(import.meta.dirname, '../../src/cli/commands'));
    const commands = [...Object.keys(usesWarehouse), ...needsNone].sort();
    expect(files.map((file) => path.parse(file).name).sort()).toEqual(commands);
  });

  it.each(Object.entries(usesWarehouse).flatMap(([command, all]) => all.map((args) => [[command, ...args]])))(
    'is refused by %j, which ends with 78, says so in a line and writes nothing',
    async (args) => {
      const { code, stdout, stderr } = await command(args, world.environment);
      expect(code).toBe(78);
      const line = /is newer than this version, by 1 migration from 9999-of-a-newer-version/;
      if (args[0] === 'doctor') expect(stdout).toMatch(line);
      else expect(stderr.trimEnd().split('\n')).toEqual([expect.stringMatching(line)]);
      expect(await world.query('select from etl.runs union all select from warehouse.accounts')).toEqual([]);
    },
  );
});
