import { expect, it, onTestFinished, vi } from 'vitest';
import { onSchedule, startTrigger } from '../../src/schedule/schedule.ts';
import { type Schedule, scheduledTimesOf } from '../../src/schedule/scheduled-times.ts';
import { createLogger } from '../../src/support/logger.ts';
import { createRedactor } from '../../src/support/redaction.ts';

const logger = createLogger('silent', 'json', createRedactor());

/** The runs of a schedule from a midnight to the third one after it, by node-cron under a clock that the test moves. */
async function runsOfThreeDays(schedule: Schedule, day: string): Promise<string[]> {
  const midnight = Temporal.PlainDate.from(day).toZonedDateTime(schedule.timeZone);
  vi.useFakeTimers({ now: midnight.epochMilliseconds });
  onTestFinished(() => void vi.useRealTimers());
  const clock = () => Temporal.Instant.fromEpochMilliseconds(Date.now());
  const stop = new AbortController();
  const runs: string[] = [];
  const run = async (scheduledFor: Temporal.Instant) => {
    expect(`${scheduledFor}`).toBe(`${clock()}`);
    runs.push(scheduledFor.toZonedDateTimeISO(schedule.timeZone).toString({ timeZoneName: 'never' }));
    return 'done' as const;
  };
  using trigger = startTrigger(schedule, logger);
  const scheduledTimes = scheduledTimesOf(schedule);
  // Scheduled times before the first midnight are done.
  const before = scheduledTimes.newest(clock());
  const ended = onSchedule({ scheduledTimes, clock, trigger }, stop.signal, (scheduledFor) =>
    scheduledFor.equals(before) ? Promise.resolve('done' as const) : run(scheduledFor),
  );
  await vi.advanceTimersByTimeAsync(midnight.until(midnight.add({ days: 3 })).total('milliseconds') - 1);
  stop.abort();
  await ended;
  return runs;
}

it.each([
  ['30 2 * * *', 'America/New_York', '2026-03-07', ['07T02:30-05', '08T03:00-04', '09T02:30-04']],
  ['30 2 * * *', 'Europe/Berlin', '2026-10-24', ['24T02:30+02', '25T02:30+02', '26T02:30+01']],
  ['0 0 * * *', 'America/Santiago', '2026-09-05', ['06T01:00-03', '07T00:00-03']],
])('runs at %s in %s once a day around %s, at its time', async (expression, timeZone, day, expected) => {
  const runs = await runsOfThreeDays({ expression, timeZone }, day);
  expect(runs.map((run) => run.slice(8, 16) + run.slice(19, 22))).toEqual(expected);
});
