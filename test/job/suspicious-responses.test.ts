import { expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { runNight } from '../support/nights.ts';
import { openWorld } from '../support/world.ts';

const settings = {
  ACCOUNTS_FILE: '',
  SIDTOKEN: generateDataset().accounts[0]!.token,
  ACCOUNT_NAME: 'north',
  LOOKBACK_DAYS: '1',
};

const campaigns = Array.from({ length: 20 }, (_, index) => ({
  callsetid: index + 1,
  campaign: `Campaign ${index + 1}`,
  attempts: 100,
  busies: 10,
  connects: 60,
  liveanswers: 30,
}));

const noClients = { page: 1, pages: 1, limit: 100, clients: 0, results: 0, count: 0, data: [] };

/*
 * Whom a count is trusted, and what makes a day short: test/job/windows. What mail and alerts say of it, night after night:
 * test/stories, by `half listed`.
 */
it('a day that lists fewer campaigns than announced is requested once more: whole if that is, else short', async () => {
  const listed = { '03-04-2026': [12, 20], '03-05-2026': [12, 12], '03-06-2026': [20] };
  const left = new Map<string, number[]>(Object.entries(listed));
  const world = await openWorld({
    intercept: ({ operation, params }) => {
      if (operation === 'getClients') return { body: JSON.stringify(noClients) };
      const count = left.get(params.get('startdate')!)?.shift() ?? 20;
      return { body: JSON.stringify({ campaigns: 20, reports: 20, result: campaigns.slice(0, count) }) };
    },
  });
  // Three responses in which the count is right, after which it is trusted.
  const days = ['2026-03-01', '2026-03-02', '2026-03-03'];
  expect((await runNight(world, '2026-03-04', settings, { days, digest: false })).exitCode).toBe(0);

  const coverage = async (day: string) => {
    const [window] = await world.query<{ short: boolean; campaigns: number; discarded: number }>(
      `select short, (select campaigns::int from warehouse.account_days d where d.day = c.day),
         (select count(*)::int from etl.responses r where decision = 'discarded' and r.day = c.day) as discarded
       from warehouse.coverage c where day = $1`,
      [day],
    );
    return window;
  };
  const whole = await runNight(world, '2026-03-05', settings);
  expect(whole).toMatchObject({ exitCode: 0, stats: { windows: { short: 0 } } });
  expect(await coverage('2026-03-04')).toEqual({ short: false, campaigns: 20, discarded: 1 });

  const short = await runNight(world, '2026-03-06', settings);
  expect(short).toMatchObject({ exitCode: 0, stats: { windows: { short: 1, held: 0, failed: 0 } } });
  expect(await coverage('2026-03-05')).toEqual({ short: true, campaigns: 12, discarded: 1 });

  await runNight(world, '2026-03-07', settings);
  expect(await coverage('2026-03-05')).toEqual({ short: false, campaigns: 20, discarded: 1 });
  await world.close();
});
