import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Schedule, slotsOf } from '../../src/support/slots.ts';

/** The slots from an instant on, as the clocks of the zone show them. */
function slotsFrom(schedule: Schedule, from: string, count: number): string[] {
  const slots = slotsOf(schedule);
  const found: string[] = [];
  let now = Temporal.Instant.from(from);
  while (found.length < count) {
    now = slots.next(now)!;
    const shown = now.toZonedDateTimeISO(schedule.timeZone);
    found.push(shown.toString({ smallestUnit: 'minute', timeZoneName: 'never' }));
  }
  return found;
}

describe('a slot', () => {
  test.each([
    ['30 2 * * *', 'America/New_York', '2026-03-08T03:00-04:00'],
    ['0 2 * * *', 'America/New_York', '2026-03-08T03:00-04:00'],
    ['30 2,14 * * *', 'America/New_York', '2026-03-08T03:00-04:00'],
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-04T02:30+11:00'],
    ['0 0 * * *', 'America/Havana', '2026-03-08T01:00-04:00'],
  ])('of %s in %s that the clocks skip comes when they go on', (expression, timeZone, expected) => {
    const day = expected.slice(0, 10);
    const midnight = Temporal.PlainDate.from(day).toZonedDateTime(timeZone).toInstant();
    const before = midnight.subtract({ milliseconds: 1 }).toString();
    expect(slotsFrom({ expression, timeZone }, before, 1)).toEqual([expected]);
  });

  test.each([
    ['30 1 * * *', 'America/New_York', '2026-11-01', 'T01:30-04:00'],
    ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-05', 'T01:45+11:00'],
  ])('of %s in %s that the clocks show twice comes once', (expression, timeZone, day, time) => {
    const midnight = Temporal.PlainDate.from(day).toZonedDateTime(timeZone).toInstant();
    const [first, second] = slotsFrom({ expression, timeZone }, midnight.toString(), 2);
    expect(first).toBe(day + time);
    expect(second!.slice(0, 10)).toBe(Temporal.PlainDate.from(day).add({ days: 1 }).toString());
  });

  test('of a daily time comes once on every day of every zone, at its time or when the clocks go on', () => {
    const zones = ['UTC', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', 'Asia/Kathmandu'];
    const scheduled = fc.record({
      hour: fc.integer({ min: 0, max: 23 }),
      minute: fc.integer({ min: 0, max: 59 }),
      timeZone: fc.constantFrom(...zones, 'Africa/Casablanca', 'Europe/Madrid', 'America/Havana'),
      day: fc.integer({ min: 0, max: 1_500 }),
    });
    fc.assert(
      fc.property(scheduled, ({ hour, minute, timeZone, day }) => {
        const slots = slotsOf({ expression: `${minute} ${hour} * * *`, timeZone });
        const date = Temporal.PlainDate.from('2024-01-01').add({ days: day });
        const asked = date.toPlainDateTime({ hour, minute });
        // The earlier of two, and the first moment after a gap.
        const plain = asked.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
        const expected = plain.toPlainDateTime().equals(asked) ? plain : plain.getTimeZoneTransition('next')!;
        const instant = expected.toInstant();
        const justBefore = instant.subtract({ milliseconds: 1 });
        expect(slots.next(justBefore)).toEqual(instant);
        expect(slots.newest(instant)).toEqual(instant);
        expect(slots.newest(justBefore)!.epochMilliseconds).toBeLessThan(instant.epochMilliseconds);
        const following = slots.next(instant)!.toZonedDateTimeISO(timeZone).toPlainDate();
        expect(following.toString()).toBe(date.add({ days: 1 }).toString());
        // What comes next is the newest once it has come, whatever came between.
        expect(slots.newest(slots.next(instant)!.subtract({ milliseconds: 1 }))).toEqual(instant);
      }),
      { numRuns: 500 },
    );
  });

  test('of each second is the second itself', () => {
    const slots = slotsOf({ expression: '* * * * * *', timeZone: 'UTC' });
    const now = Temporal.Instant.from('2026-11-21T06:30:00.700Z');
    expect(`${slots.newest(now)} ${slots.next(now)}`).toBe('2026-11-21T06:30:00Z 2026-11-21T06:30:01Z');
  });
});
