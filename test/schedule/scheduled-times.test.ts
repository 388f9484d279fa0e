import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Schedule, scheduledTimesOf } from '../../src/schedule/scheduled-times.ts';

/** They change their clocks by an hour, half an hour, over midnight, over a day, or never. */
const zones = [
  'UTC',
  'America/New_York',
  'America/Santiago',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'Pacific/Apia',
  'Asia/Kathmandu',
];

/** The scheduled times after a timestamp, as the clocks of the zone show them. */
function timesAfter(schedule: Schedule, from: string, count: number): string[] {
  const scheduledTimes = scheduledTimesOf(schedule);
  const found: string[] = [];
  let now = Temporal.Instant.from(from);
  while (found.length < count) {
    now = scheduledTimes.next(now);
    const shown = now.toZonedDateTimeISO(schedule.timeZone);
    found.push(shown.toString({ smallestUnit: 'minute', timeZoneName: 'never' }));
  }
  return found;
}

describe('a scheduled time', () => {
  test('of a daily schedule comes once on every day of every zone, at its time or right after a gap', () => {
    const scheduled = fc.record({
      hour: fc.integer({ min: 0, max: 23 }),
      minute: fc.integer({ min: 0, max: 59 }),
      timeZone: fc.constantFrom(...zones),
      day: fc.integer({ min: 0, max: 1_500 }),
    });
    fc.assert(
      fc.property(scheduled, ({ hour, minute, timeZone, day }) => {
        const times = scheduledTimesOf({ expression: `${minute} ${hour} * * *`, timeZone });
        const date = Temporal.PlainDate.from('2024-01-01').add({ days: day });
        const local = date.toPlainDateTime({ hour, minute });
        // The earlier of two, and the first timestamp after a gap.
        const plain = local.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
        const expected = plain.toPlainDateTime().equals(local) ? plain : plain.getTimeZoneTransition('next')!;
        const instant = expected.toInstant();
        const justBefore = instant.subtract({ milliseconds: 1 });
        expect(times.next(justBefore)).toEqual(instant);
        expect(times.newest(instant)).toEqual(instant);
        expect(times.newest(justBefore).epochMilliseconds).toBeLessThan(instant.epochMilliseconds);
        const following = times.next(instant).toZonedDateTimeISO(timeZone).toPlainDate();
        expect(following.toString()).toBe(date.add({ days: 1 }).toString());
        // The newest stays the newest until the next one.
        expect(times.newest(times.next(instant).subtract({ milliseconds: 1 }))).toEqual(instant);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['skips', '2026-03-08T05:00:00Z', ['01:00-05:00', '01:30-05:00', '03:00-04:00', '03:30-04:00']],
    ['repeats', '2026-11-01T04:00:00Z', ['01:00-04:00', '01:30-04:00', '02:00-05:00', '02:30-05:00']],
  ])('of several on a day comes once where the zone %s an hour', (_, from, expected) => {
    const schedule = { expression: '*/30 1-3 * * *', timeZone: 'America/New_York' };
    expect(timesAfter(schedule, from, 4).map((time) => time.slice(11))).toEqual(expected);
  });

  test('does not exist on a date that the zone leaves out', () => {
    const schedule = { expression: '30 6 * * *', timeZone: 'Pacific/Apia' };
    expect(timesAfter(schedule, '2011-12-29T12:00:00Z', 3)).toEqual([
      '2011-12-29T06:30-10:00',
      '2011-12-31T06:30+14:00',
      '2012-01-01T06:30+14:00',
    ]);
  });

  test('that clocks showed before they went back over midnight is the newest, though its date repeats', () => {
    const times = scheduledTimesOf({ expression: '0 0 * * *', timeZone: 'America/St_Johns' });
    const repeated = Temporal.Instant.from('2010-11-06T23:30:00-03:30');
    expect(times.newest(repeated)).toEqual(Temporal.Instant.from('2010-11-07T00:00:00-02:30'));
    expect(times.next(repeated)).toEqual(Temporal.Instant.from('2010-11-08T00:00:00-03:30'));
  });

  test.each([
    ['0 6 29 2 *', '2024-02-29', '2028-02-29'],
    ['0 6 1 * 1', '2026-06-01', '2027-02-01'],
    ['0 6 L * *', '2026-10-31', '2026-11-30'],
    ['0 6 * * 1#2', '2026-11-09', '2026-12-14'],
    ['@yearly', '2026-01-01', '2027-01-01'],
  ])('of %s is found however far it is: %s and %s', (expression, newest, next) => {
    const times = scheduledTimesOf({ expression, timeZone: 'Europe/Berlin' });
    const now = Temporal.Instant.from('2026-11-21T12:00:00Z');
    const dateOf = (time: Temporal.Instant) => time.toZonedDateTimeISO('Europe/Berlin').toPlainDate();
    expect(`${dateOf(times.newest(now))} ${dateOf(times.next(now))}`).toBe(`${newest} ${next}`);
  });

  test('of a 29 February on a Monday is found over 2100, which has none', () => {
    const times = scheduledTimesOf({ expression: '0 6 29 2 1', timeZone: 'UTC' });
    const newest = Temporal.Instant.from('2072-02-29T06:00:00Z');
    const next = Temporal.Instant.from('2112-02-29T06:00:00Z');
    const now = Temporal.Instant.from('2097-01-01T00:00:00Z');
    expect([times.newest(now), times.next(now)]).toEqual([newest, next]);
  });

  test('of each second is the second itself', () => {
    const times = scheduledTimesOf({ expression: '* * * * * *', timeZone: 'UTC' });
    const now = Temporal.Instant.from('2026-11-21T06:30:00.700Z');
    expect(`${times.newest(now)} ${times.next(now)}`).toBe('2026-11-21T06:30:00Z 2026-11-21T06:30:01Z');
  });
});
