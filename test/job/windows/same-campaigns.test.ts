import { afterEach, beforeEach, expect, it } from 'vitest';
import { accept } from '../../../src/job/accept.ts';
import { sharedMarks } from '../../../src/job/windows/review-days.ts';
import { type AlikeDay, readAlikeDays } from '../../../src/warehouse/load/marks.ts';
import { readSameCampaigns } from '../../../src/warehouse/queries/same-campaigns.ts';
import { atInstant, never, runNight } from '../../support/nights.ts';
import { openWorld, type World } from '../../support/world.ts';

/* Two tokens that yield the same campaigns: it takes two, so it is found after the windows. */

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
const same = 'the same campaigns and counts as another account, so probably counted more than once';
const marked = [`north, provisional, ${same}`, `coast, provisional, ${same}`];
const confirmed = ['north, loaded', 'coast, loaded'];
const through = () =>
  world
    .query<{ day: string }>(
      `select complete_through_day::text as day from warehouse.freshness order by account`,
    )
    .then((rows) => rows.map(({ day }) => day));

it('days of one night that are the same are provisional, however often they come, and the right ones are not held', async () => {
  await night('2026-03-03');
  coastIs = 'north';
  expect((await night('2026-03-04')).exitCode).toBe(0);
  expect(await coverageOf('2026-03-03')).toEqual(marked);
  // A day that was confirmed before stands, and what is the same as another account's is held.
  expect((await coverageOf('2026-03-02'))[0]).toBe('north, loaded');
  expect((await coverageOf('2026-03-02'))[1]).toMatch(/^coast, loaded, held, [\d,]+ attempts instead of /);
  const updated = () =>
    world.query(`select account_id, updated_at from etl.windows where day = '2026-03-03' order by 1`);
  const before = await updated();
  await night('2026-03-05');
  expect(await coverageOf('2026-03-03')).toEqual(marked);
  // Nothing of the day changed: who reads what has changed reads it no second time.
  expect(await updated()).toEqual(before);
  expect(await through()).toEqual(['2026-03-02', '2026-03-02']);
  coastIs = 'coast';
  await night('2026-03-06');
  expect(await coverageOf('2026-03-03')).toEqual(confirmed);
  expect(await coverageOf('2026-03-04')).toEqual(confirmed);
  expect(await through()).toEqual(['2026-03-05', '2026-03-05']);
  const restated = await world.query(
    `select day::text from warehouse.restated_days where day > '2026-03-02'`,
  );
  expect(restated).toEqual([]);
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
    const days = await readAlikeDays(warehouse, '2026-03-03', '2026-03-03');
    expect(days).toEqual([]);
    expect(await readSameCampaigns(warehouse, ['north', 'coast'], '2026-03-03', '2026-03-03')).toEqual([]);
  });
});

it('no accept confirms them: they may be the other account’s', async () => {
  coastIs = 'north';
  await night('2026-03-07');
  expect(await coverageOf('2026-03-06')).toEqual(marked);
  const request = { command: 'accept', days: ['2026-03-06'], accounts: null };
  await atInstant(world, '2026-03-08T05:00:00Z', (app) =>
    accept(app, request, never, { show: () => {}, confirm: async () => true }),
  );
  expect(await coverageOf('2026-03-06')).toEqual(marked);
  await night('2026-03-08');
  expect(await coverageOf('2026-03-06')).toEqual(marked);
  expect(await coverageOf('2026-03-07')).toEqual(marked);
});

it('who shares them on purpose dismisses the alert, and no day is marked any more', async () => {
  coastIs = 'north';
  await night('2026-03-07');
  await night('2026-03-08');
  expect(await coverageOf('2026-03-07')).toEqual(marked);
  await world.query(
    `update etl.alerts set dismissed = array['coast', 'north'] where alert like 'SAME_CAMPAIGNS/%'`,
  );
  await night('2026-03-09');
  expect(await coverageOf('2026-03-06')).toEqual(confirmed);
  expect(await coverageOf('2026-03-07')).toEqual(confirmed);
  expect(await coverageOf('2026-03-08')).toEqual(confirmed);
});

const day = (part: Partial<AlikeDay>): AlikeDay => ({
  accountId: 1,
  day: '2026-03-02',
  name: 'north',
  state: 'loaded',
  isOver: true,
  fetchedAt: '2026-03-03 06:30:00+00',
  sameSinceRunDate: '2026-03-03',
  anomalies: [],
  others: ['coast'],
  ...part,
});
const mark = { code: 'same_campaigns', known: false } as const;
const error = { code: 'error', text: 'half', known: false } as const;

it.each<[what: string, day: Partial<AlikeDay>, marks: object[]]>([
  ['a day of this run date', {}, [{ anomalies: [mark], provisional: same }]],
  ['no day that was confirmed before', { sameSinceRunDate: '2026-03-02' }, []],
  [
    'a provisional day, beside what else speaks against it',
    { state: 'provisional', sameSinceRunDate: '2026-03-02', anomalies: [error] },
    [{ anomalies: [error, mark], provisional: expect.stringContaining('half') }],
  ],
  ['a marked day no second time', { state: 'provisional', anomalies: [mark] }, []],
  [
    'a day that differs by now no longer',
    { state: 'provisional', anomalies: [mark], others: [] },
    [{ anomalies: [], provisional: null }],
  ],
  [
    'a day that differs by now and has something else against it: it stays provisional',
    { state: 'provisional', anomalies: [mark, error], others: [] },
    [{ anomalies: [error], provisional: expect.stringContaining('half') }],
  ],
])('marks %s', (_, part, marks) => {
  expect(sharedMarks([day(part)], [], '2026-03-03')).toMatchObject(marks);
  expect(sharedMarks([day(part)], [], '2026-03-03')).toHaveLength(marks.length);
});

it('a day shared on purpose with some of several accounts is marked all the same', () => {
  const shared = day({ others: ['coast', 'valley'] });
  expect(sharedMarks([shared], [['north', 'coast']], '2026-03-03')).toHaveLength(1);
  expect(sharedMarks([shared], [['valley', 'north', 'coast']], '2026-03-03')).toEqual([]);
});
