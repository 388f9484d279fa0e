import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { dismissAlert, markTold, recordAlerts, recordTold } from '../../../src/warehouse/outbox/alerts.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let warehouse: Warehouse;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 2);
});
beforeEach(async () => {
  await warehouse.deleteFrom('etl.alerts').execute();
});
afterAll(async () => {
  await warehouse.destroy();
  await database.drop();
});

const [first, second, third] = ['2026-11-18', '2026-11-19', '2026-11-20'] as const;
const alerts = (...keys: readonly string[]) => keys.map((key) => ({ key, title: `title of ${key}` }));

/** What is known of each alert: since when, when somebody was notified, when it was over, what was dismissed. */
async function known() {
  const rows = await warehouse.selectFrom('etl.alerts').selectAll().orderBy('alert').execute();
  return rows.map((row) => [
    row.alert,
    row.since_run_date,
    row.alerted_run_date,
    row.resolved_run_date,
    row.dismissed,
  ]);
}

const all = () => true;
const begun = (...keys: readonly string[]) =>
  keys.map((key) => ({ key, title: `title of ${key}`, isOver: false }));
const over = (...keys: readonly string[]) => begun(...keys).map((each) => ({ ...each, isOver: true }));

it('an alert is news on each run date until somebody was notified of it on that', async () => {
  expect(await recordAlerts(warehouse, alerts('a', 'b'), first, all)).toEqual({
    news: begun('a', 'b'),
    unknown: [],
  });
  await markTold(warehouse, begun('a'), first);
  expect((await recordAlerts(warehouse, alerts('a', 'b'), first, all)).news).toEqual(begun('b'));
  expect((await recordAlerts(warehouse, alerts('a', 'b'), second, all)).news).toEqual(begun('a', 'b'));
  expect(await known()).toEqual([
    ['a', first, first, null, []],
    ['b', first, null, null, []],
  ]);
});

it('the end of an alert is news once to those who were notified of it, and forgotten where nobody was', async () => {
  await recordAlerts(warehouse, alerts('a', 'b', 'c'), first, all);
  await markTold(warehouse, begun('a', 'c'), first);
  await dismissAlert(warehouse, { ...alerts('a')[0]!, affects: ['2026-11-17'] });
  expect((await recordAlerts(warehouse, alerts('c'), second, all)).news).toEqual([
    ...over('a'),
    ...begun('c'),
  ]);
  expect(await known()).toEqual([
    ['a', null, first, second, []],
    ['c', first, first, null, []],
  ]);
  expect((await recordAlerts(warehouse, alerts('c'), third, all)).news).toEqual([
    ...over('a'),
    ...begun('c'),
  ]);
  expect(await known()).toContainEqual(['a', null, first, second, []]);
  await markTold(warehouse, [...over('a'), ...begun('c')], third);
  expect(await known()).toEqual([['c', first, third, null, []]]);
});

it('an alert that begins again before its end was told is another one since then', async () => {
  await recordAlerts(warehouse, alerts('a'), first, all);
  await markTold(warehouse, begun('a'), first);
  await recordAlerts(warehouse, [], second, all);
  const again = { key: 'a', title: 'another title' };
  expect((await recordAlerts(warehouse, [again], third, all)).news).toEqual([{ ...again, isOver: false }]);
  expect(await known()).toEqual([['a', third, first, null, []]]);
});

it('a run ends only alerts of which it can tell that they are over, and names those that it leaves', async () => {
  await recordAlerts(warehouse, alerts('a', 'b'), first, all);
  await markTold(warehouse, begun('a', 'b'), first);
  expect(await recordAlerts(warehouse, alerts('c'), second, (key) => key === 'b')).toEqual({
    news: [...over('b'), ...begun('c')],
    unknown: ['a'],
  });
  expect((await known()).map(([key, since]) => [key, since])).toEqual([
    ['a', first],
    ['b', null],
    ['c', second],
  ]);
});

it('the end of an alert that was sent without the database is news', async () => {
  await recordTold(warehouse, alerts('a')[0]!, first);
  expect((await recordAlerts(warehouse, [], second, all)).news).toEqual(over('a'));
});

it('an alert that is acknowledged keeps since when it is active, and what it affected', async () => {
  await recordAlerts(warehouse, alerts('a'), first, all);
  await dismissAlert(warehouse, { ...alerts('a')[0]!, affects: ['x', 'y'] });
  await dismissAlert(warehouse, { ...alerts('new')[0]!, affects: [] });
  expect(await known()).toEqual([
    ['a', first, null, null, ['x', 'y']],
    ['new', null, null, null, []],
  ]);
  await recordAlerts(warehouse, alerts('a', 'new'), second, all);
  expect((await known()).map(([, since]) => since)).toEqual([first, second]);
});
