import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { dismissAlert, markAlerted, recordAlerts } from '../../../src/warehouse/outbox/alerts.ts';
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

it('an alert is unsent on each run date until somebody was notified of it on that', async () => {
  expect(await recordAlerts(warehouse, alerts('a', 'b'), first, true)).toEqual({
    unsent: ['a', 'b'],
    resolved: [],
  });
  await markAlerted(warehouse, ['a'], first);
  expect((await recordAlerts(warehouse, alerts('a', 'b'), first, true)).unsent).toEqual(['b']);
  expect((await recordAlerts(warehouse, alerts('a', 'b'), second, true)).unsent).toEqual(['a', 'b']);
  expect(await known()).toEqual([
    ['a', first, first, null, []],
    ['b', first, null, null, []],
  ]);
});

it('an alert that is over is told once to those who were notified of it, and forgotten where nobody was', async () => {
  await recordAlerts(warehouse, alerts('a', 'b', 'c'), first, true);
  await markAlerted(warehouse, ['a', 'c'], first);
  await dismissAlert(warehouse, { ...alerts('a')[0]!, affects: ['2026-11-17'] });
  expect(await recordAlerts(warehouse, alerts('c'), second, true)).toEqual({
    unsent: ['c'],
    resolved: ['title of a'],
  });
  expect(await known()).toEqual([
    ['a', null, first, second, []],
    ['c', first, first, null, []],
  ]);
  expect((await recordAlerts(warehouse, alerts('c'), third, true)).resolved).toEqual(['title of a']);
  expect(await known()).toContainEqual(['a', null, first, second, []]);
  await markAlerted(warehouse, ['c'], third);
  expect(await known()).toEqual([['c', first, third, null, []]]);
});

it('an alert that begins again before its end was told is another one since then', async () => {
  await recordAlerts(warehouse, alerts('a'), first, true);
  await markAlerted(warehouse, ['a'], first);
  await recordAlerts(warehouse, [], second, true);
  const again = [{ key: 'a', title: 'another title' }];
  expect(await recordAlerts(warehouse, again, third, true)).toEqual({ unsent: ['a'], resolved: [] });
  expect(await known()).toEqual([['a', third, first, null, []]]);
  const [{ title }] = (await warehouse.selectFrom('etl.alerts').select('title').execute()) as [
    { title: string },
  ];
  expect(title).toBe('another title');
});

it('a run that does not look at everything ends no alert', async () => {
  await recordAlerts(warehouse, alerts('a', 'b'), first, true);
  await markAlerted(warehouse, ['a'], first);
  expect(await recordAlerts(warehouse, alerts('c'), second, false)).toEqual({ unsent: ['c'], resolved: [] });
  expect((await known()).map(([key, since]) => [key, since])).toEqual([
    ['a', first],
    ['b', first],
    ['c', second],
  ]);
});

it('an alert that is acknowledged keeps since when it is active, and what it affected', async () => {
  await recordAlerts(warehouse, alerts('a'), first, true);
  await dismissAlert(warehouse, { ...alerts('a')[0]!, affects: ['x', 'y'] });
  await dismissAlert(warehouse, { ...alerts('new')[0]!, affects: [] });
  expect(await known()).toEqual([
    ['a', first, null, null, ['x', 'y']],
    ['new', null, null, null, []],
  ]);
  await recordAlerts(warehouse, alerts('a', 'new'), second, true);
  expect((await known()).map(([, since]) => since)).toEqual([first, second]);
});
