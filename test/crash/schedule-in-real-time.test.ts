import { createTask } from 'node-cron';
import { expect, it, onTestFinished } from 'vitest';
import { onSchedule, startTrigger } from '../../src/schedule/schedule.ts';
import { scheduledTimesOf } from '../../src/schedule/scheduled-times.ts';
import { systemClock } from '../../src/support/clock.ts';
import { createLogger } from '../../src/support/logger.ts';
import { createRedactor } from '../../src/support/redaction.ts';

const logger = createLogger('silent', 'json', createRedactor());
const eachSecond = { expression: '* * * * * *', timeZone: 'UTC' };

/** Resolves with each second, by a task of node-cron beside those of the schedule. */
function startSeconds(): () => Promise<void> {
  let tick = Promise.withResolvers<void>();
  const task = createTask(eachSecond.expression, () => tick.resolve(), { timezone: eachSecond.timeZone });
  void task.start();
  onTestFinished(() => void task.destroy());
  return () => {
    tick = Promise.withResolvers();
    return tick.promise;
  };
}

it('runs for the newest scheduled time, one run after another, until it is stopped', async () => {
  const nextSecond = startSeconds();
  const stop = new AbortController();
  const runs: number[] = [];
  let inProgress = 0;
  const run = async (scheduledFor: Temporal.Instant) => {
    expect(++inProgress).toBe(1);
    runs.push(scheduledFor.epochMilliseconds / 1_000);
    if (runs.length === 3) stop.abort();
    // Two whole seconds, whenever in a second it began: a scheduled time passes in between.
    for (let ticks = 0; ticks < 3; ticks++) await nextSecond();
    inProgress--;
    return 'done' as const;
  };
  using trigger = startTrigger(eachSecond, logger);
  await onSchedule(
    { scheduledTimes: scheduledTimesOf(eachSecond), clock: systemClock, trigger },
    stop.signal,
    run,
  );
  expect(runs).toHaveLength(3);
  expect(runs.every(Number.isInteger)).toBe(true);
  const apart = runs.slice(1).map((second, index) => second - runs[index]!);
  expect(Math.min(...apart)).toBeGreaterThanOrEqual(2);
  expect(inProgress).toBe(0);
});

it('the trigger wakes at each scheduled time, by the timers of node-cron', async () => {
  using trigger = startTrigger(eachSecond, logger);
  const { signal } = new AbortController();
  const seconds: number[] = [];
  for (let wakes = 0; wakes < 4; wakes++) {
    await trigger.next('minute', signal);
    seconds.push(Math.floor(Date.now() / 1_000));
  }
  expect(seconds.at(-1)! - seconds[0]!).toBeLessThan(10);
});
