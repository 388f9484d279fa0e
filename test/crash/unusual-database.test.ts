import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callsheet } from '../support/callsheet.ts';
import { readContents } from '../support/contents.ts';
import { lockWaits, unusualSettings } from '../support/database.ts';
import { openWorld, type World } from '../support/world.ts';

const days = ['--from', '2026-03-02', '--to', '2026-03-08'];

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

describe('a run', () => {
  it('works in a database whose date style, zone and isolation level are not the defaults', async () => {
    const usual = await openWorld();
    await unusualSettings(world.databaseUrl);
    for (const { environment } of [world, usual]) {
      expect(await callsheet(['run', ...days], environment)).toMatchObject({ code: 0, stdout: '' });
      expect(await callsheet(['run'], environment)).toMatchObject({ code: 0, stdout: '' });
    }
    expect(await readContents(world)).toEqual(await readContents(usual));
    expect(await accountsOf(world)).toEqual(await accountsOf(usual));
    await usual.close();
  });

  it('waits for its own connections, however long the database keeps them busy', async () => {
    const busy = new pg.Client({ connectionString: world.databaseUrl });
    await busy.connect();
    await busy.query('begin');
    await busy.query('lock table etl.campaign_days in access exclusive mode');
    const running = callsheet(['run', ...days], { ...world.environment, CONCURRENCY: '64' });
    await lockWaits(world.databaseUrl, 8);
    // Longer than connecting may take.
    await busy.query('select pg_sleep(11)');
    await busy.query('commit');
    expect(await running).toMatchObject({ code: 0, stdout: '' });
    expect(await world.query(`select from etl.windows where state = 'loaded'`)).toHaveLength(21);
    await busy.end();
  });
});

/** The accounts of `status --json`. */
async function accountsOf({ environment }: World): Promise<unknown> {
  const { stdout } = await callsheet(['status', '--json'], environment);
  // The runs of two worlds walk their lists one after the other.
  return JSON.parse(stdout, (key, value) => (key === 'completeAt' ? typeof value : value)).accounts;
}
