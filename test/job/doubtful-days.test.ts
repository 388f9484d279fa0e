import { afterAll, beforeAll, expect, it } from 'vitest';
import { addDays, daysBetween } from '../../src/model/day.ts';
import { runNight } from '../support/nights.ts';
import { openWorld, type World } from '../support/world.ts';

/* What speaks against a day, from the response to what analysts read of it. The rules: test/job/windows. */

let world: World;
/** The responses for a day that come next; without one, all four campaigns. */
const next = new Map<string, object[]>();
/** With other live answers on each day. */
const campaign = (callsetid: number) => ({
  callsetid,
  campaign: `Campaign ${callsetid}`,
  attempts: 100,
  busies: 10,
  connects: 60,
  liveanswers: 30,
});
const four = [1, 2, 3, 4].map(campaign);
const listing = (result: readonly object[], others: object = {}) => ({
  campaigns: result.length,
  result,
  ...others,
});

const load = async (runDate: string, days: readonly string[]) =>
  await runNight(
    world,
    runDate,
    { ACCOUNTS_FILE: '', SIDTOKEN: 'a-token-of-north', ACCOUNT_NAME: 'north' },
    { days, digest: false },
  );
const quiet = ['2026-03-10', '2026-03-17'];
beforeAll(async () => {
  world = await openWorld({
    intercept: ({ operation, params }) => {
      if (operation === 'getClients')
        return { body: JSON.stringify({ page: 1, pages: 1, clients: 0, data: [] }) };
      const day = params.get('startdate')!.replace(/^(..)-(..)-(.*)$/, '$3-$1-$2');
      const response = quiet.includes(day) ? listing([]) : next.get(day)?.shift();
      return {
        body: JSON.stringify(response ?? listing(four), (name, value) =>
          name === 'liveanswers' && value !== null ? value + Number(day.slice(8)) : value,
        ),
      };
    },
  });
  await load('2026-03-19', daysBetween('2026-03-02', '2026-03-18'));
});
afterAll(() => world.close());

/** What coverage says of a day, and how many responses for it were discarded. */
async function said(day: string): Promise<string> {
  const [row] = await world.query<{ line: string }>(
    `select concat_ws(', ', state, reason,
       listed || ' of ' || announced,
       (select nullif(count(*), 0) || ' discarded' from etl.responses r where r.day = c.day and decision = 'discarded')) as line
     from warehouse.coverage c where day = $1`,
    [day],
  );
  return row!.line;
}

it.each<[what: string, day: string, responses: object[], said: string]>([
  [
    'announces more campaigns than it lists, twice',
    '2026-03-20',
    [listing(four.slice(1), { campaigns: 4 }), listing(four.slice(1), { campaigns: 4 })],
    'provisional, the service announced 4 campaigns and listed 3, 3 of 4, 1 discarded',
  ],
  [
    'announces more campaigns than it lists, and all of them when it is requested once more',
    '2026-03-21',
    [listing(four.slice(1), { campaigns: 4 })],
    'loaded, 1 discarded',
  ],
  [
    'has an error beside its campaigns, fewer than announced',
    '2026-03-22',
    Array(2).fill(listing(four.slice(1), { campaigns: 4, error: 'half of it' })),
    'provisional, the service announced 4 campaigns and listed 3; the service sent an error with the campaigns: error: half of it, 3 of 4, 1 discarded',
  ],
  [
    'leaves out counts that the days before report',
    '2026-03-23',
    [listing(four.map((each) => ({ ...each, busies: null })))],
    'provisional, most campaigns came without their busies',
  ],
  [
    'has a record that can not be read',
    '2026-03-24',
    [listing([...four, { ...campaign(5), campaign: ['?'] }])],
    'provisional, 1 record could not be read',
  ],
  [
    'has a count that can not be read',
    '2026-04-01',
    [listing([...four.slice(1), { ...campaign(1), busies: 'N/A' }])],
    'provisional, counts of 1 campaign could not be read',
  ],
  [
    'has no calls on a weekday that had some in the weeks before',
    '2026-03-25',
    [listing([])],
    'provisional, no calls, on a weekday that usually has some',
  ],
  ['has busies alone', '2026-03-26', [listing([{ ...campaign(1), attempts: 0 }])], 'loaded'],
])('a day whose response %s, says so until a good one comes', async (_, day, responses, expected) => {
  next.set(day, [...responses]);
  expect((await load(addDays(day, 1), [day])).exitCode).toBe(0);
  expect(await said(day)).toBe(expected);
  await load(addDays(day, 2), [day]);
  expect((await said(day)).replace(', 1 discarded', '')).toBe('loaded');
});

it('a day without calls is an ordinary one where the weekday had none before, or is known from one week', async () => {
  expect(await Promise.all(quiet.map(said))).toEqual(['loaded', 'loaded']);
});

it('what is not reported is in no sum and in no rate, and is not 0', async () => {
  const day = '2026-03-27';
  const [first, second, third] = four;
  next.set(day, [
    listing([
      { ...first, liveanswers: null },
      { ...second, connects: null, liveanswers: null },
      { ...third, attempts: null, liveanswers: null },
    ]),
  ]);
  await load('2026-03-28', [day]);
  const sums = `select listed_campaigns::int, attempts::int, busies::int, connects::int, live_answers, connect_rate::float8, live_answer_rate
    from warehouse.account_days where day = $1`;
  expect(await world.query(sums, [day])).toEqual([
    {
      listed_campaigns: 3,
      attempts: 200,
      busies: 30,
      connects: 120,
      live_answers: null,
      connect_rate: 0.6,
      live_answer_rate: null,
    },
  ]);
});
