import { afterAll, beforeAll, expect, it } from 'vitest';
import { callsheet } from '../../support/callsheet.ts';
import { runNight } from '../../support/nights.ts';
import { openWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
  await runNight(world, '2026-03-03');
});
afterAll(() => world.close());

const north = (columns: string, relation: string, where = 'true') =>
  world.query(`select ${columns} from warehouse.${relation} where account = 'north' and ${where}`);
const statusJson = async () =>
  JSON.parse((await callsheet(['status', '--json'], world.environment)).stdout) as {
    alerts: { key: string; kind: string }[];
  };

it('what is complete passes the days whose alert is dismissed, until they load', async () => {
  const keys = (await statusJson()).alerts
    .map(({ key }) => key)
    .filter((key) => /^(EARLIER_)?DAYS_/.test(key));
  expect(keys).not.toEqual([]);
  expect(await north('complete_through_day::text as day', 'freshness')).toEqual([{ day: '2026-03-02' }]);
  for (const key of keys) await callsheet(['status', '--dismiss', key], world.environment);
  expect(
    await north(
      'open_days::int, complete_through_day = (select max(day) from warehouse.coverage c where c.account = freshness.account) as all',
      'freshness',
    ),
  ).toEqual([{ open_days: 0, all: true }]);
  expect(await north('distinct state, dismissed', 'coverage', `day > '2026-03-02'`)).toEqual([
    { state: 'missing', dismissed: true },
  ]);
  const left = (await statusJson()).alerts.filter(({ kind }) => kind !== 'note');
  expect(left.map(({ key }) => key).filter((key) => /^(EARLIER_)?DAYS_/.test(key))).toEqual([]);

  await runNight(world, '2026-03-05', {}, { days: ['2026-03-04'], digest: false });
  expect(await north('state, dismissed', 'coverage', `day = '2026-03-04'`)).toEqual([
    { state: 'loaded', dismissed: false },
  ]);
});
