import fc from 'fast-check';
import { createTask } from 'node-cron';
import { describe, expect, it } from 'vitest';
import { type Schedule, scheduledTimesOf } from '../../src/schedule/scheduled-times.ts';
import { rounds } from '../support/rounds.ts';
import { clockChanges, zones } from './zones.ts';

type Timestamp = Temporal.Instant;
const isBefore = (one: Timestamp, other: Timestamp) => Temporal.Instant.compare(one, other) < 0;

/** The scheduled times after `from` and before `to`. */
function timesBetween(schedule: Schedule, from: Timestamp, to: Timestamp): Timestamp[] {
  const { next } = scheduledTimesOf(schedule);
  const times: Timestamp[] = [];
  for (let time = next(from); isBefore(time, to); time = next(time)) times.push(time);
  return times;
}

/** Minute by minute what node-cron's match() says of the zone's clocks: without repeated times, with skipped ones. */
function matchesBetween({ expression, timeZone }: Schedule, from: Timestamp, to: Timestamp): Timestamp[] {
  const ofZone = createTask(expression, () => {}, { timezone: timeZone });
  const ofUtc = createTask(expression, () => {}, { timezone: 'UTC' });
  const times: Timestamp[] = [];
  let before = from.toZonedDateTimeISO(timeZone).toPlainDateTime();
  for (let now = from.add({ minutes: 1 }); isBefore(now, to); now = now.add({ minutes: 1 })) {
    const local = now.toZonedDateTimeISO(timeZone).toPlainDateTime();
    const repeated = !local.toZonedDateTime(timeZone, { disambiguation: 'earlier' }).toInstant().equals(now);
    const shown = !repeated && ofZone.match(new Date(now.epochMilliseconds));
    if (shown || skipped(before, local).some((each) => ofUtc.match(each))) times.push(now);
    before = local;
  }
  void ofZone.destroy();
  void ofUtc.destroy();
  return times;
}

/** The minutes that clocks skip between two that they show, on the dates of these two, as if in UTC. */
function skipped(before: Temporal.PlainDateTime, after: Temporal.PlainDateTime): Date[] {
  const found: Date[] = [];
  let local = before.add({ minutes: 1 });
  for (; Temporal.PlainDateTime.compare(local, after) < 0; local = local.add({ minutes: 1 })) {
    const date = local.toPlainDate();
    if (!date.equals(before.toPlainDate()) && !date.equals(after.toPlainDate())) continue;
    found.push(new Date(local.toZonedDateTime('UTC').epochMilliseconds));
  }
  return found;
}

const changes = zones.flatMap(clockChanges);
const field = (min: number, max: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min: 2, max: 9 }).map((step) => `*/${step}`),
    fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 3 }).map((list) => list.join()),
  );
const expressions = fc
  .tuple(field(0, 59), field(0, 23), field(1, 28), fc.constant('*'), field(0, 6))
  .map((fields) => fields.join(' '));
const daysAroundChanges = fc.record({
  change: fc.constantFrom(...changes),
  minutes: fc.integer({ min: -1_700, max: 180 }),
  expression: expressions,
});

describe('scheduled times', () => {
  it('are what node-cron matches, with a skipped time after the gap and a repeated one once', () => {
    fc.assert(
      fc.property(daysAroundChanges, ({ change, minutes, expression }) => {
        const schedule = { expression, timeZone: change.timeZoneId };
        const from = change.add({ minutes }).toInstant();
        const to = from.add({ hours: 30 });
        expect(timesBetween(schedule, from, to)).toEqual(matchesBetween(schedule, from, to));
      }),
      { numRuns: rounds(60) },
    );
  });
});
