import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import {
  claimNews,
  dismissAlert,
  type FoundAlerts,
  markNotified,
  recordAlerts,
  releaseClaims,
} from '../../../src/warehouse/outbox/alerts.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const { warehouse } = await openTestWarehouse();

beforeEach(async () => {
  await warehouse.deleteFrom('etl.alerts').execute();
});

const [first, second, third] = ['2026-11-18', '2026-11-19', '2026-11-20'] as const;
const alerts = (...keys: readonly string[]) =>
  keys.map((key) => ({
    key,
    title: `title of ${key}`,
    kind: 'to check' as const,
    severity: 'error' as const,
  }));

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

const titled = (...keys: readonly string[]) => keys.map((key) => ({ key, title: `title of ${key}` }));
const find = (given: FoundAlerts['alerts'], runDate: string, others: Partial<FoundAlerts> = {}) =>
  claimNews(warehouse, { alerts: given, runDate, mayEnd: () => true, holdsRunLock: true, ...others });
/** Finds alerts, and notifies somebody of what is news. */
async function notify(given: FoundAlerts['alerts'], runDate: string) {
  const claimed = await find(given, runDate);
  await markNotified(warehouse, claimed, runDate);
  return claimed;
}
const none = { begun: [], over: [] };

it('an alert is news on each run date until somebody was notified of it on that', async () => {
  expect(await find(alerts('a', 'b'), first)).toEqual({ begun: ['a', 'b'], over: [] });
  await markNotified(warehouse, { begun: ['a'], over: [] }, first);
  expect((await find(alerts('a', 'b'), first)).begun).toEqual(['b']);
  expect((await find(alerts('a', 'b'), second)).begun).toEqual(['a', 'b']);
  expect(await known()).toEqual([
    ['a', first, first, null, []],
    ['b', first, null, null, []],
  ]);
});

it('the end of an alert is news once to those who were notified of it, and forgotten where nobody was', async () => {
  await find(alerts('a', 'b', 'c'), first);
  await markNotified(warehouse, { begun: ['a', 'c'], over: [] }, first);
  await dismissAlert(warehouse, { ...titled('a')[0]!, items: ['2026-11-17'] });
  expect(await find(alerts('c'), second)).toEqual({ begun: ['c'], over: titled('a') });
  expect(await known()).toEqual([
    ['a', null, first, second, []],
    ['c', first, first, null, []],
  ]);
  expect(await notify(alerts('c'), third)).toEqual({ begun: ['c'], over: titled('a') });
  expect(await known()).toEqual([['c', first, third, null, []]]);
});

it('the end of one of two waits for a message about something else, and the last one is the all clear', async () => {
  await notify(alerts('a', 'b'), first);
  expect(await notify(alerts('b'), first)).toEqual(none);
  expect(await notify([], first)).toEqual({ begun: [], over: titled('a', 'b') });
  expect(await known()).toEqual([]);
});

it('an alert that begins again before anybody was notified of its end is another one since then', async () => {
  await notify(alerts('a'), first);
  await find([], second);
  const again = { ...alerts('a')[0]!, title: 'another title' };
  expect(await find([again], third)).toEqual({ begun: ['a'], over: [] });
  expect(await known()).toEqual([['a', third, first, null, []]]);
});

it('a run ends only alerts that it knows to be over, and is no all clear while others are left', async () => {
  await notify(alerts('a', 'b'), first);
  expect(await find([], second, { mayEnd: (key) => key === 'b' })).toEqual(none);
  expect((await known()).map(([key, since]) => [key, since])).toEqual([
    ['a', first],
    ['b', null],
  ]);
});

it('an alert that was sent without the database counts as notified, and its end is news', async () => {
  await recordAlerts(warehouse, titled('a'), first, first);
  expect(await find(alerts('a'), first)).toEqual(none);
  expect(await find([], second)).toEqual({ begun: [], over: titled('a') });
});

it('what one process is sending, no other sends, until it gives up, a run begins, or ten minutes are over', async () => {
  const other = { holdsRunLock: false };
  const claimed = await find(alerts('a'), first, other);
  expect(claimed.begun).toEqual(['a']);
  expect(await find(alerts('a'), first, other)).toEqual(none);
  await releaseClaims(warehouse, claimed);
  expect(await find(alerts('a'), first, other)).toEqual(claimed);
  expect(await find(alerts('a'), first)).toEqual(claimed);
  expect(await find(alerts('a'), first, other)).toEqual(none);
  await sql`update etl.alerts set claimed_at = claimed_at - interval '11 minutes'`.execute(warehouse);
  expect(await find(alerts('a'), first, other)).toEqual(claimed);
});

it('a warning that lasts is news on seven run dates, then weekly, and an error on each', async () => {
  const warning = { ...alerts('warning')[0]!, severity: 'warning' as const };
  const notified: Record<string, number[]> = { warning: [], error: [] };
  for (let day = 1; day <= 30; day++) {
    const { begun } = await notify([warning, ...alerts('error')], `2026-11-${String(day).padStart(2, '0')}`);
    for (const key of begun) notified[key]!.push(day);
  }
  expect(notified.warning).toEqual([1, 2, 3, 4, 5, 6, 7, 14, 21, 28]);
  expect(notified.error).toHaveLength(30);
  await notify([], '2026-12-01');
  expect((await notify([warning], '2026-12-02')).begun).toEqual(['warning']);
  expect((await notify([warning], '2026-12-03')).begun).toEqual(['warning']);
});

it('an alert that is dismissed keeps since when it is active, and what it affected', async () => {
  await find(alerts('a'), first);
  await dismissAlert(warehouse, { ...titled('a')[0]!, items: ['x', 'y'] });
  await dismissAlert(warehouse, { ...titled('new')[0]!, items: [] });
  expect(await known()).toEqual([
    ['a', first, null, null, ['x', 'y']],
    ['new', null, null, null, []],
  ]);
  await find(alerts('a', 'new'), second);
  expect((await known()).map(([, since]) => since)).toEqual([first, second]);
});
