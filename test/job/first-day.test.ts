import { afterEach, expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { runNight } from '../support/nights.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const settings = {
  ACCOUNTS_FILE: '',
  SIDTOKEN: generateDataset().accounts.find((each) => each.name === 'valley')!.token,
  ACCOUNT_NAME: 'valley',
};
const night = (day: string, request: Parameters<typeof runNight>[3] = {}, more: World['environment'] = {}) =>
  runNight(world, day, { ...settings, ...more }, request);

async function lines(query: string): Promise<string[]> {
  return (await world.query<{ line: string }>(query)).map(({ line }) => line);
}
const noneDue =
  /^no digest is due: each period is mailed once, from .*, within CATCH_UP_DAYS; by hand: npm start/;
const since = () => lines('select first_expected_day::text as line from warehouse.accounts');
const digests = () =>
  lines(`select to_char(day, 'MM-DD') || ' begins after' as line from etl.digest_starts
    union all select to_char(day, 'MM-DD') || ' built' from etl.mails order by 1`);
const covered = (before: string) =>
  lines(`select day || ' ' || state as line from warehouse.coverage where day < '${before}' order by day`);

it('the first day that is expected is yesterday of the first undated run, and no dated run moves it', async () => {
  world = await openWorld();
  const dated = await night('2026-03-02', { days: ['2026-02-20'] });
  expect(dated.stats.noMail).toMatch(noneDue);
  expect(await since()).toEqual([null]);
  // Even where yesterday itself came by date on the same run date.
  await night('2026-03-02', { days: ['2026-03-01'] });
  await night('2026-03-02');
  expect(await since()).toEqual(['2026-03-01']);
  // As if it had failed: it is expected, so that it heals.
  await world.query(`update etl.windows set state = 'failed' where day = '2026-03-01'`);
  expect((await night('2026-03-03')).stats.windows).toMatchObject({ loaded: 2, healed: 1 });
  const old = await night('2026-03-03', { days: ['2020-01-01'] });
  expect(old.stats.noMail).toMatch(noneDue);
  expect(await since()).toEqual(['2026-03-01']);
  // Nothing before it is missing.
  expect(await covered('2026-03-03')).toEqual([
    '2020-01-01 loaded',
    '2026-02-20 loaded',
    '2026-03-01 loaded',
    '2026-03-02 loaded',
  ]);
});

it('the digest of a dated run is built for yesterday, if no run came before, as by a run without dates', async () => {
  world = await openWorld();
  const { stats } = await night('2026-03-03', { days: ['2026-03-02'] });
  expect(stats).toMatchObject({ deliveries: { written: 1 }, noMail: null });
  expect(await since()).toEqual(['2026-03-02']);
  expect(await digests()).toEqual(['03-01 begins after', '03-02 built']);
  const again = await night('2026-03-03', { days: ['2026-03-02'] });
  expect(again.stats.noMail).toMatch(noneDue);
  const provisional = await night('2026-03-03', { days: ['2026-03-03'] });
  expect(provisional.stats.noMail).toMatch(noneDue);
  expect((await night('2026-03-03')).stats.noMail).toMatch(noneDue);
  const late = await night(
    '2026-03-05',
    { days: ['2026-03-03'] },
    { CATCH_UP_DAYS: '1', LOOKBACK_DAYS: '1' },
  );
  expect(late.stats.noMail).toMatch(noneDue);
});
