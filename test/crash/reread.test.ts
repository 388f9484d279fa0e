import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { live, night, type Rebuilt, readRebuilt, replayAll, serve, tables } from '../job/random-history.ts';
import { disagreements } from '../support/agreement.ts';
import { rounds } from '../support/rounds.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ intercept: serve });
});
afterAll(() => world.close());

/** Nights whose decisions follow from the responses alone: nobody accepts, and every day is over. */
const decidedNight = night.map((drawn) => ({ ...drawn, accepts: false, twice: false, hour: '06' as const }));

/** Which responses the reader of the time couldn't read, and how it said so: one in three, in the order of this list. */
const misread = fc.array(fc.constantFrom(null, null, 'unreadable', 'discarded'), {
  minLength: 5,
  maxLength: 9,
});

/** As if another reader had been at work: those responses changed nothing, and nothing else is known of them. */
async function misreadBefore(marks: readonly (string | null)[]): Promise<void> {
  await world.query(
    `update etl.responses f
     set decision = m.mark, written_ids = '{}',
       walk = case when m.mark = 'unreadable' then walk end,
       rows = case when m.mark = 'unreadable' then f.rows end,
       counts = case when m.mark = 'unreadable' then f.counts end
     from (select response_id, ($1::text[])[1 + (row_number() over (order by response_id))::integer % $2::integer] as mark
           from etl.responses where decision in ('loaded', 'held')) m
     where f.response_id = m.response_id and m.mark is not null`,
    [marks, marks.length],
  );
  await world.query(`truncate ${tables.join()}, etl.windows`);
}

const instants = /_at$|^absent_since$|^held_since$|^valid_/;

/** The rows without their timestamps: what is the newest state of a window is news of today. */
function timeless(rebuilt: readonly Rebuilt[]): string[] {
  const lines = rebuilt.map(({ name, row }) => {
    const cells = Object.entries(JSON.parse(row)).filter(([column]) => !instants.test(column));
    return `${name} ${JSON.stringify(cells)}`;
  });
  return lines.sort();
}

/** Clients have no decisions, and get back the times of their pages, too. */
const clientRows = (rebuilt: readonly Rebuilt[]) => rebuilt.filter(({ name }) => name.includes('client'));

it('what another reader could not read is loaded by --reread as it would have been then, whatever the history', async () => {
  let histories = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(decidedNight, { minLength: 3, maxLength: 6 }),
      misread,
      async (nights, marks) => {
        const account = {
          SIDTOKEN: 'north-token',
          ACCOUNT_NAME: `account-${++histories}`,
          TIME_ZONE: 'America/New_York',
        };
        await live(world, nights, account);
        const before = await readRebuilt(world);
        await misreadBefore(marks);
        await replayAll(world, account, false);
        expect(await disagreements(world)).toEqual([]);
        await replayAll(world, account, true);
        const after = await readRebuilt(world);
        expect(timeless(after)).toEqual(timeless(before));
        expect(clientRows(after)).toEqual(clientRows(before));
        expect(await disagreements(world)).toEqual([]);
        // From now on a plain replay follows what was decided anew.
        await replayAll(world, account, false);
        expect(await readRebuilt(world)).toEqual(after);
      },
    ),
    { numRuns: rounds(30) },
  );
});
