import { afterAll, describe, expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { runNight } from '../support/nights.ts';
import type { VariantName } from '../support/simulator/variants.ts';
import { openWorld, type World } from '../support/world.ts';

const north = generateDataset().accounts.find(({ name }) => name === 'north')!;
const all = generateDataset().clients('north').length;
const one = { ACCOUNTS_FILE: '', SIDTOKEN: north.token, ACCOUNT_NAME: 'north', RETRIES: '0' };
const days = ['2026-03-03', '2026-03-04', '2026-03-05'];

const worlds: World[] = [];
afterAll(() => Promise.all(worlds.map((world) => world.close())));

async function open(variants: readonly VariantName[] = []): Promise<World> {
  const world = await openWorld({ variants });
  worlds.push(world);
  return world;
}

const countClients = async (world: World, where = 'true') =>
  (await world.query<{ n: number }>(`select count(*)::int as n from warehouse.clients where ${where}`))[0]!.n;

describe.concurrent('three nights with a list of 620 clients', () => {
  it.each<[VariantName, { exit: number; clients: number }]>([
    ['pages-cut', { exit: 0, clients: all }],
    ['limit-clamped-silently', { exit: 0, clients: all }],
    // Whoever hides behind the removal is seen by the next complete walk.
    ['row-removed-always', { exit: 0, clients: all - 1 }],
    // They fail every time: what came is loaded, and says nothing of the others.
    ['last-page-fails', { exit: 75, clients: 600 }],
    ['pages-cut-by-half', { exit: 75, clients: 345 }],
  ])('%s end with %o, and nobody is absent', async (variant, { exit, clients }) => {
    const world = await open([variant]);
    for (const day of days) expect((await runNight(world, day, one)).exitCode).toBe(exit);
    expect(await countClients(world)).toBe(clients);
    expect(await countClients(world, 'absent_since is not null')).toBe(0);
  });

  it('and pages that are cut from the second night on take nobody away', async () => {
    // The same list without and with the fault: one service a night, over the same warehouse.
    const whole = await open();
    const cut = await open(['pages-cut-by-half']);
    expect((await runNight(whole, days[0]!, one)).exitCode).toBe(0);
    const settings = { ...one, SERVICE_BASE_URL: cut.simulator.url };
    for (const day of days.slice(1)) {
      const { exitCode, stats } = await runNight(whole, day, settings);
      expect({ exitCode, kinds: stats.failures.map(({ code }) => code) }).toEqual({
        exitCode: 75,
        kinds: ['WALK_INCOMPLETE'],
      });
    }
    expect(await countClients(whole)).toBe(all);
    expect(await countClients(whole, 'absent_since is not null')).toBe(0);
  });
});

describe('a page that fails for ever', () => {
  it('is named by the error; the other pages are loaded and archived', async () => {
    const world = await open(['last-page-fails']);
    const { stats } = await runNight(world, days[0]!, one);
    expect(stats.failures.map(({ account, detail }) => `${account}: ${detail}`)).toEqual([
      expect.stringMatching(/^north: the walk over all pages .*\(page 7 failed: .*status 500/),
    ]);
    const archived = await world.query<{ page: string }>(
      `select coalesce(request->>'page', '1') as page from etl.responses
       where operation = 'getClients' and status = 200 order by 1`,
    );
    expect(archived.map(({ page }) => page)).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(stats.clients).toMatchObject({ pages: 6, listed: 600, absent: 0 });
  });

  it('that is in the middle keeps none of the later ones from being loaded', async () => {
    const world = await openWorld({
      faults: [{ operation: 'getClients', page: 3, times: Number.POSITIVE_INFINITY, kind: 'status-500' }],
    });
    worlds.push(world);
    expect((await runNight(world, days[0]!, one)).exitCode).toBe(75);
    expect(await countClients(world)).toBe(520);
  });
});

describe('a walk of 400 records that can not be read, whose texts change every night', () => {
  it('keeps a hundred of them, counts all, and has none any more once they can be read', async () => {
    const unreadable = { tonight: 0 };
    const world = await openWorld({
      intercept: ({ operation, params }) => {
        if (operation !== 'getClients' || unreadable.tonight === 0) return undefined;
        const page = Number(params.get('page') ?? 1);
        const data = Array.from({ length: 100 }, (_, n) => ({
          clientid: n < 99 ? -100 * page - n : page,
          clientname: `on night ${unreadable.tonight}`,
        }));
        return { body: JSON.stringify({ page, pages: 4, limit: 100, data }) };
      },
    });
    worlds.push(world);
    const current = () =>
      world.query(
        'select count(*)::int as rows, sum(records)::int as records from etl.rejects where current',
      );
    for (const day of days.slice(0, 2)) {
      unreadable.tonight++;
      const { stats } = await runNight(world, day, one);
      expect(stats.rejects).toBe(4 * 99);
      expect(await current()).toEqual([{ rows: 101, records: 4 * 99 }]);
    }
    expect(await world.query('select count(*)::int as n from etl.rejects')).toEqual([{ n: 201 }]);
    unreadable.tonight = 0;
    await runNight(world, days[2]!, one);
    expect(await current()).toEqual([{ rows: 0, records: null }]);
  });
});
