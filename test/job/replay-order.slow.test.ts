import { afterEach, expect, it } from 'vitest';
import { replay } from '../../src/job/replay.ts';
import { changing } from '../support/changing.ts';
import { atInstant, never, runNight } from '../support/nights.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const rows = () =>
  world.query(`select a.name, d.day::text, d.callset_id, d.attempts, d.loaded_at::text, d.restated_at::text
    from etl.campaign_days d join warehouse.accounts a using (account_id) order by 1, 2, 3`);

it.each([
  { clock: 'in the future', fetchedAt: '2999-01-01T00:00:00Z' },
  { clock: 'the same for all', fetchedAt: null },
])(
  'replay follows the decisions in their order, where requests were recorded with a time $clock',
  async ({ fetchedAt }) => {
    const { changes, dataset } = changing();
    world = await openWorld({ dataset });
    const sync = () => runNight(world, '2026-03-04', {}, { days: ['2026-03-02'], digest: false });
    await sync();
    if (fetchedAt !== null) {
      await world.query('update etl.responses set fetched_at = $1', [fetchedAt]);
      await world.query('update etl.windows set fetched_at = $1', [fetchedAt]);
    }
    for (const more of [1, 2]) {
      changes.campaigns = (list) => list.map((each) => ({ ...each, attempts: each.attempts + more }));
      await sync();
    }
    if (fetchedAt === null)
      await world.query('update etl.responses set fetched_at = (select min(fetched_at) from etl.responses)');
    const before = await rows();
    const all = { command: 'replay', from: '2026-03-02', to: '2026-03-02' };
    await atInstant(world, '2026-03-05T00:00:00Z', (app) => replay(app, all, never));
    expect(await rows()).toEqual(before);
  },
);
