import { afterEach, describe, expect, it } from 'vitest';
import { weeklyDayOf } from '../../src/job/windows/due.ts';
import { addDays, type Day, daysBetween } from '../../src/model/day.ts';
import { runNight } from '../support/nights.ts';
import { openWorld, type World } from '../support/world.ts';

/*
 * Forty nights of services that keep their days for some time only, or correct them late: what the warehouse holds then, and
 * what was mailed.
 */

const nights = daysBetween('2026-01-02', '2026-02-10');
const last = nights.at(-1)!;
const account = { ACCOUNTS_FILE: '', ACCOUNT_NAME: 'office', SIDTOKEN: 'a-token-of-the-office' };

let world: World;
afterEach(() => world.close());

const ageOf = (day: Day, night: Day) => daysBetween(day, night).length - 1;

/** Lives the nights with a service that lists so many attempts for a day on a night; null for nothing. */
async function live(attemptsOf: (day: Day, night: Day) => number | null) {
  let night = nights[0]!;
  let requests = 0;
  world = await openWorld({
    intercept: ({ operation, params }) => {
      if (operation === 'getClients') return { body: '{"page":1,"pages":1,"data":[{"clientid":1}]}' };
      requests++;
      const [month, date, year] = params.get('startdate')!.split('-');
      const attempts = attemptsOf(`${year}-${month}-${date}`, night);
      // Two days with the same figures would be doubtful.
      const busies = Number(date);
      const result =
        attempts === null ? [] : [{ callsetid: 1, campaign: 'x', attempts, busies, connects: 5 }];
      return { body: JSON.stringify({ campaigns: result.length, result }) };
    },
  });
  const codes = new Set<number>();
  for (night of nights) codes.add((await runNight(world, night, account, { digest: false })).exitCode);
  const days = await world.query<{ day: string; attempts: number | null; state: string; held: boolean }>(
    `select day::text, attempts::int, state, held_hash is not null as held from etl.windows order by day`,
  );
  const restated = await world.query<{ day: string; before: number; now: number }>(
    `select day::text, attempts_before::int as before, attempts_after::int as now from warehouse.restated_days order by day`,
  );
  return { codes: [...codes], days, restated, requests };
}

describe('a service that keeps its days for', () => {
  it.each([3, 14, 31])('%i days loses none of them in the warehouse', async (kept) => {
    const { codes, days, restated } = await live((day, night) => (ageOf(day, night) > kept ? null : 100));
    expect(codes).toEqual([0]);
    expect(restated).toEqual([]);
    expect(days).toHaveLength(nights.length);
    for (const day of days) expect(day).toMatchObject({ attempts: 100, state: 'loaded', held: false });
  });
});

describe('a service that corrects a day', () => {
  it.each([3, 10, 24])('after %i days is followed within a week, and is in restated_days', async (late) => {
    const { codes, days, restated } = await live((day, night) => (ageOf(day, night) >= late ? 101 : 100));
    expect(codes).toEqual([0]);
    const seen = days.filter(({ attempts }) => attempts === 101).length;
    expect(seen).toBeGreaterThanOrEqual(nights.length - late - 7);
    expect(restated).toEqual(restated.map(({ day }) => ({ day, before: 100, now: 101 })));
    expect(restated).toHaveLength(seen);
  });

  it('after 30 days is followed for those that are looked at then, and no other', async () => {
    const { days } = await live((day, night) => (ageOf(day, night) >= 30 ? 101 : 100));
    const isLookedAt = (day: Day) =>
      [30, 31].some((age) => {
        const night = addDays(day, age);
        return night <= last && Temporal.PlainDate.from(night).dayOfWeek === weeklyDayOf('office');
      });
    expect(days.map(({ attempts }) => attempts)).toEqual(
      days.map(({ day }) => (isLookedAt(day) ? 101 : 100)),
    );
    expect(days.some(({ attempts }) => attempts === 101)).toBe(true);
  });

  it('of a whole month at once is followed within a week, back to CATCH_UP_DAYS', async () => {
    const from = addDays(last, -7);
    const { days, restated } = await live((_, night) => (night >= from ? 101 : 100));
    expect(days.filter(({ attempts }) => attempts === 101).length).toBeGreaterThanOrEqual(31);
    expect(restated.length).toBeGreaterThanOrEqual(28);
    expect(days.at(0)).toMatchObject({ attempts: 100 });
  });
});
