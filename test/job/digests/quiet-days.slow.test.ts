import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { readState } from '../../../src/job/alerts/read-alerts.ts';
import { needsAction } from '../../../src/model/alert.ts';
import { addDays, type Day } from '../../../src/model/day.ts';
import { atInstant } from '../../support/nights.ts';
import { linesOf, live, type Service } from './three-accounts.ts';

/* A company that calls on weekdays: which mails come. 2 March 2026 is a Monday. */

const isWeekend = (day: Day) => Temporal.PlainDate.from(day).dayOfWeek > 5;

/** The mails of the nights from one to another: the night and its subject, without figures. */
async function mailsOf(
  attemptsOf: Service,
  from: Day,
  to: Day,
  settings: (lived: Awaited<ReturnType<typeof live>>) => Promise<object> = async () => ({}),
  isEndExclusive = false,
  off: readonly Day[] = [],
) {
  const lived = await live(attemptsOf, isEndExclusive);
  const given = { CATCH_UP_DAYS: '31', LOOKBACK_DAYS: '3', ...(await settings(lived)) };
  const mails: string[] = [];
  const tables: string[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) {
    if (off.includes(day)) continue;
    const read = await lived.night(day, given);
    mails.push(
      ...linesOf(read, 'subject').map((line) => `${day.slice(5)} ${line.replace(/: [\d.]+%.*/, '')}`),
    );
    tables.push(
      ...(['late', 'earlier', 'silent'] as const).flatMap((kind) =>
        linesOf(read, kind).map((line) => `${day.slice(5)} ${line}`),
      ),
    );
  }
  return { mails, tables, lived };
}

const weekdays: Service = (account, day) => {
  if (isWeekend(day)) return null;
  // A campaign of each account has its own figures on each day.
  return 100 + 10 * account.length + Number(day.slice(8));
};

const dates = (from: Day, to: Day) => {
  const all: Day[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) all.push(day);
  return all;
};

it('five weeks have a mail for each weekday and, once two weekends have shown it, none for a Saturday or Sunday', async () => {
  const { mails, tables } = await mailsOf(weekdays, '2026-03-03', '2026-04-07');
  const quiet = dates('2026-03-15', '2026-04-06').filter((night) => isWeekend(addDays(night, -1)));
  const nights = dates('2026-03-03', '2026-04-07').filter(
    (night) => !quiet.includes(night) || night < '2026-03-22',
  );
  expect(mails.map((line) => line.slice(0, 5))).toEqual(nights.map((night) => night.slice(5)));
  // The Tuesday mail, about Monday, names both.
  expect(tables.filter((line) => line.startsWith('03-24'))).toEqual([
    '03-24 No calls on Sat 21 Mar and Sun 22 Mar.',
  ]);
});

it('a late attempt on a Saturday makes it a day like any other, and quiet_days: mail has them all mailed', async () => {
  const late: Service = (account, day, runDate) =>
    account === 'north' && day === '2026-03-21' && runDate >= '2026-03-23'
      ? 30
      : weekdays(account, day, runDate);
  const { mails, tables } = await mailsOf(late, '2026-03-03', '2026-03-24');
  expect(mails.slice(-3)).toEqual([
    '03-21 Campaigns, Fri 20 Mar',
    '03-23 Campaigns, Sat 21 Mar',
    '03-24 Campaigns, Mon 23 Mar',
  ]);
  expect(tables.filter((line) => line.startsWith('03-23'))).toEqual(['03-23 No calls on Sun 22 Mar.']);
  const all = await mailsOf(weekdays, '2026-03-20', '2026-03-24', (lived) =>
    lived.withDigests({ name: 'Campaigns', quiet_days: 'mail' }),
  );
  expect(all.mails).toHaveLength(5);
});

it('an office that joins on a Wednesday brings no mail about a weekend without calls', async () => {
  const joining: Service = (account, day) =>
    account === 'valley' && day < '2026-03-25' ? null : weekdays(account, day, day);
  const lived = await live(joining);
  const before = await lived.withAccounts('north', 'coast');
  const nights: Day[] = [];
  for (const night of dates('2026-03-03', '2026-04-07')) {
    const mails = await lived.night(night, night < '2026-03-26' ? before : {});
    if (mails.size > 0) nights.push(night);
  }
  const after = nights.filter((night) => night > '2026-03-26');
  expect(after).toEqual(dates('2026-03-27', '2026-04-07').filter((night) => !isWeekend(addDays(night, -1))));
});

it('after four nights off, the mail of a Monday morning is about the newest day with calls', async () => {
  const { mails, tables } = await mailsOf(
    weekdays,
    '2026-03-03',
    '2026-03-23',
    async () => ({}),
    false,
    dates('2026-03-19', '2026-03-22'),
  );
  expect(mails.at(-1)).toBe('03-23 Campaigns, Fri 20 Mar');
  const told = tables.filter((line) => line.startsWith('03-23') && !line.startsWith('03-23 - '));
  expect(told.map((line) => line.replace(/^03-23 |: .*/g, ''))).toEqual([
    'Thu 19 Mar',
    'Wed 18 Mar',
    'No calls on Sat 21 Mar and Sun 22 Mar.',
  ]);
});

it('a correction due on a quiet Sunday is what its mail is about, and quiet days wait beyond CATCH_UP_DAYS', async () => {
  const halfOnFriday: Service = (account, day, runDate) =>
    account === 'north' && day === '2026-03-20' && runDate < '2026-03-23'
      ? 10
      : weekdays(account, day, runDate);
  const corrected = await mailsOf(halfOnFriday, '2026-03-03', '2026-03-23');
  expect(corrected.mails.at(-1)).toBe('03-23 Corrected: Campaigns, Fri 20 Mar');
  expect(corrected.tables.filter((line) => line.startsWith('03-23'))).toEqual([
    '03-23 No calls on Sat 21 Mar and Sun 22 Mar.',
  ]);
  // Four quiet days in a row, with three days to catch up on.
  const untilWednesday: Service = (account, day, runDate) =>
    Temporal.PlainDate.from(day).dayOfWeek > 3 ? null : weekdays(account, day, runDate);
  const few = await mailsOf(untilWednesday, '2026-03-03', '2026-03-24', async () => ({ CATCH_UP_DAYS: '3' }));
  expect(few.mails.at(-1)).toBe('03-24 Campaigns, Mon 23 Mar');
  expect(few.tables.at(-1)).toBe('03-24 No calls on Thu 19 Mar, Fri 20 Mar, Sat 21 Mar and Sun 22 Mar.');
});

it('a first install on a Saturday mails Friday, and each day until two weekends have shown which are quiet', async () => {
  const { mails } = await mailsOf(weekdays, '2026-03-07', '2026-03-24');
  const nights = dates('2026-03-07', '2026-03-24').filter(
    (night) => night < '2026-03-21' || !isWeekend(addDays(night, -1)),
  );
  expect(mails.map((line) => line.slice(0, 5))).toEqual(nights.map((night) => night.slice(5)));
  expect(mails[0]).toBe('03-07 Campaigns, Fri 6 Mar');
});

it('of an account whose token is refused for good, no day is quiet: each morning has its mail, incomplete', async () => {
  const refused: Service = (account, day, runDate) =>
    account === 'valley' && runDate >= '2026-03-11' ? 'refused' : weekdays(account, day, runDate);
  // By then it has four of each weekday, so it is known how much of the digest it makes.
  const { mails } = await mailsOf(refused, '2026-02-10', '2026-03-25');
  const since = mails.filter((line) => line >= '03-11');
  expect(since.map((line) => line.slice(0, 5))).toEqual(
    dates('2026-03-11', '2026-03-25').map((day) => day.slice(5)),
  );
  expect(since.filter((line) => !line.includes('Incomplete: '))).toEqual([]);
});

it('a wrong WINDOW_END, by which no day ever has a campaign, is never quiet; with the right one the same service has calls', async () => {
  const wrong = await mailsOf(weekdays, '2026-03-03', '2026-04-07', undefined, true);
  expect(wrong.mails).toHaveLength(36);
  expect(wrong.mails.every((line) => line.endsWith('no calls'))).toBe(true);
  const right = await mailsOf(
    weekdays,
    '2026-03-03',
    '2026-03-04',
    async () => ({ WINDOW_END: 'next-day' }),
    true,
  );
  expect(right.mails).toEqual(['03-03 Campaigns, Mon 2 Mar', '03-04 Campaigns, Tue 3 Mar']);
});

it('a quiet day is done: the run says why it mails nothing, the watchdog gets a success, and no alert is active', async () => {
  const pings: string[] = [];
  const server = createServer((request, response) => {
    pings.push(request.url!);
    response.end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { mails, lived } = await mailsOf(weekdays, '2026-03-06', '2026-03-22', async () => ({
    HEALTHCHECK_URL: `http://127.0.0.1:${port}/ping`,
    ALLOW_INSECURE_HTTP: 'true',
  }));
  expect(mails.at(-1)).toBe('03-21 Campaigns, Fri 20 Mar');
  const { exitCode, stats } = lived.report();
  expect([exitCode, stats.noMail]).toEqual([
    0,
    'no digest is due: the next one names the days without calls',
  ]);
  expect(pings.slice(-2)).toEqual(['/ping/start', '/ping']);
  const alerts = await atInstant(lived.world, '2026-03-22T07:00:00Z', async (app) => {
    const state = await readState(app.warehouse, app);
    return state.alerts.filter(needsAction).map(({ key }) => key);
  });
  expect(alerts).toEqual([]);
});
