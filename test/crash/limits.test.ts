import { expect, it, onTestFinished } from 'vitest';
import { disagreements } from '../support/agreement.ts';
import { callsheet } from '../support/callsheet.ts';
import { createRole } from '../support/role.ts';
import { openWorld } from '../support/world.ts';
import { expectReported, unusable } from './disturbing.ts';

it.each([
  [
    'may wait for a second only, while another session holds the ledger,',
    `set lock_timeout = '1s'`,
    /lock timeout/,
  ],
  ['may have one connection', 'connection limit 1', /too many connections for role/],
])(
  'a run whose role %s ends with a line that reports it, and the next run completes it',
  async (_, limit, line) => {
    const world = await openWorld();
    const role = await createRole();
    onTestFinished(async () => {
      await world.close();
      await role.drop();
    });
    await role.alter(limit);
    const run = ['run', '--day', '2026-03-10'];
    await world.query('begin; lock table etl.windows in exclusive mode');
    const ending = await callsheet(run, { ...world.environment, DATABASE_URL: role.url(world.databaseUrl) });
    await world.query('rollback');
    expectReported(ending, unusable);
    expect(ending.stderr).toMatch(line);
    expect(await callsheet(run, world.environment)).toMatchObject({ code: 0 });
    expect(await world.query(`select from etl.windows where state = 'loaded'`)).toHaveLength(3);
    expect(await disagreements(world)).toEqual([]);
  },
);
