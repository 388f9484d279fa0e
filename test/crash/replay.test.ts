import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { replay } from '../../src/job/replay.ts';
import { reread } from '../../src/job/reread.ts';
import { disagreements } from '../support/agreement.ts';
import { openWorld, type World } from '../support/world.ts';
import { live, night, type Rebuilt, readRebuilt, replayAll, serve, tables } from './random-history.ts';

let world: World;
let histories = 0;
beforeAll(async () => {
  world = await openWorld({ intercept: serve });
});
afterAll(() => world.close());

const newAccount = () => ({
  SIDTOKEN: 'north-token',
  ACCOUNT_NAME: `account-${++histories}`,
  TIME_ZONE: 'America/New_York',
});

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

// A history takes some seconds, and one that is shrunk minutes.
const parameters = { numRuns: 6, endOnFailure: true };

it('a replay rebuilds from the archive alone what was current, to the microsecond, whatever the history, and --reread changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(night, { minLength: 3, maxLength: 5 }), async (nights) => {
      const account = newAccount();
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
    parameters,
  );
});

/** Nights whose decisions follow from the responses alone: nobody accepts, and every day is over. */
const decidedNight = night.map((drawn) => ({ ...drawn, accepts: false, twice: false, hour: '06' as const }));

/** How another reader took the newest response of a window; null if it could read it. In the order of the windows. */
const misread = fc.array(fc.constantFrom(null, 'unreadable', 'discarded'), { minLength: 5, maxLength: 9 });

/** As if another reader had been at work: those responses changed nothing, and nothing else is known of them. */
async function misreadBefore(marks: readonly (string | null)[]): Promise<void> {
  await world.query(
    `update etl.responses f set decision = m.mark, rows = null, counts = null
     from (select response_id, decision, ($1::text[])[1 + (row_number() over (order by day))::integer % $2::integer] as mark
           from (select distinct on (day) response_id, decision, day from etl.responses where day is not null
                 order by day, response_id desc) newest) m
     where f.response_id = m.response_id and m.decision in ('loaded', 'held') and m.mark is not null`,
    [marks, marks.length],
  );
  await world.query(`truncate ${tables.join()}, etl.windows`);
}

const instants = /_at$|^absent_since$|^held_since$|^valid_/;

/** The rows without their timestamps, for the newest state of a window is news of today; and without the archive's. */
function timeless(rebuilt: readonly Rebuilt[]): string[] {
  const lines = rebuilt
    .filter(({ name }) => name !== 'responses')
    .map(({ name, row }) => {
      const cells = Object.entries(JSON.parse(row)).filter(([column]) => !instants.test(column));
      return `${name} ${JSON.stringify(cells)}`;
    });
  return lines.sort();
}

it('what another reader could not read of each newest response is loaded or held by --reread as it would have been then, whatever the history', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(decidedNight, { minLength: 3, maxLength: 5 }),
      misread,
      async (nights, marks) => {
        const account = newAccount();
        await live(world, nights, account);
        const before = await readRebuilt(world);
        await misreadBefore(marks);
        await replayAll(world, account, replay);
        await replayAll(world, account, reread);
        const after = await readRebuilt(world);
        expect(timeless(after)).toEqual(timeless(before));
        expect(await disagreements(world)).toEqual([]);
        // From now on a plain replay follows what was decided anew.
        await replayAll(world, account, replay);
        expect(await readRebuilt(world)).toEqual(after);
      },
    ),
    parameters,
  );
});
