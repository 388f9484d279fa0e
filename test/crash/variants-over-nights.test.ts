import { afterAll, describe, expect, it } from 'vitest';
import { addDays } from '../../src/model/day.ts';
import { disagreements } from '../support/agreement.ts';
import { FIRST_HOSTILE_ID } from '../support/simulator/variants/records.ts';
import { type VariantName, variantNames } from '../support/simulator/variants.ts';
import { startSimulator } from '../support/simulator.ts';
import { contradictions } from '../support/story.ts';
import { dataset, today, variantNight, yesterday } from '../support/variant-nights.ts';
import { openWorld, type World } from '../support/world.ts';

/*
 * A good night, and then two with a service of each variant: what was loaded by then must outlive them. What becomes of
 * the first night is in test/job/variants.test.ts.
 */

/** What the first night of a variant makes of the day that the good night loaded; by default it stays as it is. */
const becomes: Partial<Record<VariantName, 'held' | 'restated' | 'appeared'>> = {
  'attempts-null': 'held',
  // That half of the rows are gone is loaded, and the day is short.
  'rows-cut': 'restated',
  'idle-listed': 'appeared',
  'counts-huge': 'appeared',
  'lifetime-totals': 'restated',
};

const settings: Partial<Record<VariantName, World['environment']>> = {
  'pages-cut': { PAGE_LIMIT: '100' },
  'end-exclusive': { WINDOW_END: 'next-day' },
};

const loadedBefore = addDays(today, -2);
const history = [5, 4, 3].map((days) => addDays(today, -days));

type Row = { readonly account: string; readonly id: string; readonly counts: readonly (number | null)[] };

/** The current rows of the day that the good night loaded, but for those that a hostile service slipped in. */
const readRows = (world: World) =>
  world.query<Row>(
    `select a.name as account, callset_id::text as id, array[attempts, busies, connects, live_answers]::float8[] as counts
     from etl.campaign_days join warehouse.accounts a using (account_id)
     where day = $1 and withdrawn_at is null and callset_id < $2 order by a.name, callset_id`,
    [loadedBefore, FIRST_HOSTILE_ID],
  );

const readAbsent = (world: World) =>
  world.query('select client_id from warehouse.clients where absent_since is not null');

const readMarks = async (world: World) => {
  const [marks] = await world.query<{ held: boolean; restated: boolean }>(
    'select bool_or(held) as held, bool_or(restated) as restated from warehouse.coverage where day = $1',
    [loadedBefore],
  );
  return marks;
};

const readSuspicious = async (world: World) => {
  const found = await world.query<{ account: string }>(
    'select account from warehouse.coverage where day = $1 and (suspicious or short)',
    [loadedBefore],
  );
  return new Set(found.map(({ account }) => account));
};

const worlds: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(worlds.map((world) => world.close())));

async function goodNight(variant: VariantName) {
  const world = await openWorld({ dataset });
  const simulator = await startSimulator({ dataset, variants: [variant] });
  worlds.push(world, simulator);
  const plain = world.simulator.url;
  // Fewer rows than a count says are only noticed after responses whose count was right.
  expect((await variantNight(world, plain, yesterday, { days: history, digest: false })).exitCode).toBe(0);
  expect((await variantNight(world, plain, yesterday)).exitCode).toBe(0);
  return {
    world,
    night: (runDate: string) => variantNight(world, simulator.url, runDate, {}, settings[variant]),
  };
}

describe.concurrent('after a good night, a service that', () => {
  it.each(variantNames)('%s takes nothing away', async (variant) => {
    const { world, night } = await goodNight(variant);
    const good = await readRows(world);
    const report = await night(today);
    expect(await contradictions(world, report)).toEqual([]);
    const expected = becomes[variant];
    const isRestated = expected === 'restated' || expected === 'appeared';
    expect(await readMarks(world)).toEqual({ held: expected === 'held', restated: isRestated });
    const rows = await readRows(world);
    const isNew = ({ account, id }: Row) => good.every((row) => row.account !== account || row.id !== id);
    const kept = rows.filter((row) => !isNew(row));
    const lost = good.filter((row) =>
      rows.every(({ account, id }) => account !== row.account || id !== row.id),
    );
    if (variant === 'rows-cut')
      expect(new Set(lost.map(({ account }) => account))).toEqual(await readSuspicious(world));
    else if (expected === 'restated') expect(kept).toHaveLength(good.length);
    else expect(kept).toEqual(good);
    expect(await readAbsent(world)).toEqual([]);
    expect(await disagreements(world)).toEqual([]);

    await night(addDays(today, 1));
    const later = (await readRows(world)).filter((row) => !isNew(row));
    if (variant === 'rows-cut') expect(later.length).toBeLessThan(good.length);
    else expect(later).toHaveLength(good.length);
    expect(await readAbsent(world)).toEqual([]);
    expect(await disagreements(world)).toEqual([]);
  });
});
