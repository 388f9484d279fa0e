import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { replay } from '../../src/job/replay.ts';
import { reread } from '../../src/job/reread.ts';
import { live, night, readRebuilt, replayAll, serve, tables } from '../job/random-history.ts';
import { disagreements } from '../support/agreement.ts';
import { rounds } from '../support/rounds.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ intercept: serve });
});
afterAll(() => world.close());

/** Views have no keys that Postgres would hold. */
async function expectUniqueKeys(): Promise<void> {
  const repeated = await world.query(
    `select account_id, client_id, valid_from::text as since from warehouse.client_versions
     group by 1, 2, 3 having count(*) > 1
     union all
     select account_id, client_id, day::text from warehouse.client_balances group by 1, 2, 3 having count(*) > 1`,
  );
  expect(repeated).toEqual([]);
}

it('a replay rebuilds from the archive alone what was current, to the microsecond, whatever the history, and --reread changes nothing', async () => {
  let histories = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(night, { minLength: 3, maxLength: 7 }), async (nights) => {
      const account = {
        SIDTOKEN: 'north-token',
        ACCOUNT_NAME: `account-${++histories}`,
        TIME_ZONE: 'America/New_York',
      };
      await live(world, nights, account);
      const before = await readRebuilt(world);
      await world.query(`truncate ${tables.join()}, etl.windows`);
      for (const work of [replay, reread]) {
        await replayAll(world, account, work);
        expect(await readRebuilt(world)).toEqual(before);
        expect(await disagreements(world)).toEqual([]);
        await expectUniqueKeys();
      }
    }),
    { numRuns: rounds(30) },
  );
});
