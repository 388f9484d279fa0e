import { afterEach, beforeEach, expect, it } from 'vitest';
import { acceptAlways } from '../../../src/job/accept-always.ts';
import { readState } from '../../../src/job/alerts/read-alerts.ts';
import { readSameCampaigns } from '../../../src/warehouse/queries/same-campaigns.ts';
import { atInstant, never, runNight } from '../../support/nights.ts';
import { openWorld, type World } from '../../support/world.ts';

/* Two tokens that yield the same campaigns: an alert says so, and no day changes. */

let world: World;
/** Whose campaigns the token of coast yields. */
let coastIs: 'coast' | 'north';
beforeEach(async () => {
  coastIs = 'coast';
  world = await openWorld({
    dataset: {
      accounts: [
        { name: 'north', token: 'a-token-of-north' },
        { name: 'coast', token: 'a-token-of-coast' },
      ],
      clients: () => [],
      campaigns: () => [],
    },
    intercept: ({ operation, account, params }) => {
      if (operation !== 'campaignSummary') return undefined;
      const whose = account === 'coast' ? coastIs : 'north';
      const day = Number(params.get('startdate')!.slice(3, 5));
      const first = whose === 'north' ? 100 : 200;
      const result = [1, 2, 3].map((n) => ({
        callsetid: first + n,
        campaign: `${whose} ${n}`,
        attempts: first + day,
        busies: 1,
        connects: 50,
        liveanswers: 20,
      }));
      return { body: JSON.stringify({ campaigns: 3, result }) };
    },
  });
});
afterEach(() => world.close());

const night = (day: string) => runNight(world, day);

/** What coverage says of a day, by account. */
async function coverageOf(day: string): Promise<string[]> {
  const rows = await world.query<{ line: string }>(
    `select concat_ws(', ', account, state, case when held then 'held' end, reason) as line
     from warehouse.coverage where day = $1 order by account desc`,
    [day],
  );
  return rows.map(({ line }) => line);
}
const alerted = (at: string) =>
  atInstant(world, at, async (app) => {
    const { alerts } = await readState(app.warehouse, app);
    return alerts.filter(({ code }) => code === 'SAME_CAMPAIGNS').map(({ accounts }) => accounts.join());
  });

it('days that are the same in two accounts are alerted, and stay confirmed; what would replace a confirmed day is held', async () => {
  await night('2026-03-03');
  coastIs = 'north';
  expect((await night('2026-03-04')).exitCode).toBe(0);
  expect(await coverageOf('2026-03-03')).toEqual(['north, loaded', 'coast, loaded']);
  expect((await coverageOf('2026-03-02'))[1]).toMatch(/^coast, loaded, held, [\d,]+ attempts instead of /);
  expect(await alerted('2026-03-04T12:00:00Z')).toEqual(['north,coast']);
});

it('days that were the same are alerted until they differ, also once a new day differs', async () => {
  coastIs = 'north';
  for (const day of ['2026-03-04', '2026-03-05', '2026-03-06']) await night(day);
  coastIs = 'coast';
  await world.query(`update etl.windows set settled = true`);
  await runNight(world, '2026-03-11', { LOOKBACK_DAYS: '1' });
  expect(await alerted('2026-03-11T12:00:00Z')).toEqual(['north,coast']);
});

it('who shares them on purpose says so once, and is alerted no more', async () => {
  coastIs = 'north';
  await night('2026-03-07');
  const request = {
    command: 'accept',
    sign: 'same_campaigns',
    accounts: ['coast', 'north'],
    undo: false,
  };
  await atInstant(world, '2026-03-07T12:00:00Z', (app) =>
    acceptAlways(app, request, never, async () => true),
  );
  await night('2026-03-08');
  expect(await alerted('2026-03-08T12:00:00Z')).toEqual([]);
  expect(await coverageOf('2026-03-07')).toEqual(['north, loaded', 'coast, loaded']);
});

it('two accounts of which each has an empty list held are no sign of it', async () => {
  await night('2026-03-04');
  const rows = await world.query<{ alike: string }>(
    `with emptied as (
       update etl.windows set held_hash = encode(sha256(''), 'hex'), held_code = 'emptied', held_reason = 'empty', held_since = now()
       where day = '2026-03-03' returning account_id)
     select count(*)::text as alike from emptied`,
  );
  expect(rows).toEqual([{ alike: '2' }]);
  await atInstant(world, '2026-03-06T12:00:00Z', async ({ warehouse }) => {
    expect(await readSameCampaigns(warehouse, ['north', 'coast'], ['2026-03-03'])).toEqual([]);
  });
});
