import { expect, it } from 'vitest';
import { addDays, type Day } from '../../../src/model/day.ts';
import { linesOf, live, type Service } from './telling.ts';

/* A company that calls on weekdays: which mails come. 2 March 2026 is a Monday. */

const isWeekend = (day: Day) => Temporal.PlainDate.from(day).dayOfWeek > 5;

/** The mails of the nights from one to another: the night and its subject, without figures. */
async function mailsOf(
  attemptsOf: Service,
  from: Day,
  to: Day,
  settings: (lived: Awaited<ReturnType<typeof live>>) => Promise<object> = async () => ({}),
) {
  const lived = await live(attemptsOf);
  const given = { CATCH_UP_DAYS: '31', LOOKBACK_DAYS: '3', ...(await settings(lived)) };
  const mails: string[] = [];
  const tables: string[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) {
    const read = await lived.night(day, given);
    mails.push(
      ...linesOf(read, 'subject').map((line) => `${day.slice(5)} ${line.replace(/: [\d.]+%.*/, '')}`),
    );
    tables.push(...linesOf(read, 'earlier').map((line) => `${day.slice(5)} ${line}`));
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
    '03-24 0 – Sat 21 Mar',
    '03-24 0 – Sun 22 Mar',
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
    '03-23 Campaigns, Sun 22 Mar: no calls',
    '03-24 Campaigns, Mon 23 Mar',
  ]);
  expect(tables.at(-1)).toBe('03-23 30 16.7% Sat 21 Mar');
  const all = await mailsOf(weekdays, '2026-03-20', '2026-03-24', (lived) =>
    lived.withDigests({ name: 'Campaigns', quiet_days: 'mail' }),
  );
  expect(all.mails).toHaveLength(5);
});

it('a token that is refused for good, and a first install on a Saturday, leave no morning unexplained', async () => {
  const refused: Service = (account, day, runDate) =>
    account === 'valley' && day >= '2026-03-10' ? undefined : weekdays(account, day, runDate);
  const { mails } = await mailsOf(refused, '2026-03-07', '2026-03-24');
  // Installed on a Saturday: Friday is the first. From the tenth on, one account lacks: nothing is quiet.
  expect(mails.map((line) => line.slice(0, 5))).toEqual(
    dates('2026-03-07', '2026-03-24').map((day) => day.slice(5)),
  );
  expect(mails.at(-1)).toMatch(/^03-24 Incomplete: Campaigns, Mon 23 Mar/);
});

it('a wrong WINDOW_END, by which no day ever has a campaign, is never quiet', async () => {
  const { mails } = await mailsOf(() => null, '2026-03-03', '2026-03-24');
  expect(mails).toHaveLength(22);
  expect(mails.every((line) => line.endsWith('no calls'))).toBe(true);
});
