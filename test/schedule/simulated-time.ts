import { createRetriedRuns } from '../../src/job/retried-runs.ts';
import type { AppContext } from '../../src/job/run/app-context.ts';
import { endingOf } from '../../src/job/run/ending.ts';
import { exitCode } from '../../src/model/exit-code.ts';
import type { Interval } from '../../src/schedule/schedule.ts';
import { onSchedule } from '../../src/schedule/schedule.ts';
import { type ScheduledTimes, scheduledTimesOf } from '../../src/schedule/scheduled-times.ts';
import type { Logger } from '../../src/support/logger.ts';
import { contextOf, undated } from '../support/nights.ts';
import type { World } from '../support/world.ts';

/** A time that passes when somebody waits for it, and by leaps. */
export type SimulatedTime = { now: Temporal.Instant };

export const at = (instant: string): SimulatedTime => ({ now: Temporal.Instant.from(instant) });

const intervalMs: Record<Interval, number> = { minute: 60_000, 'five seconds': 5_000 };

/** How long the timers of node-cron take: to the full minute or five seconds, or to the next scheduled time. */
export function untilWake(
  { now }: SimulatedTime,
  scheduledTimes: ScheduledTimes,
  interval: Interval,
): number {
  const step = intervalMs[interval];
  const untilInterval = step - (now.epochMilliseconds % step);
  return Math.min(untilInterval, scheduledTimes.next(now).epochMilliseconds - now.epochMilliseconds);
}

/** The runs of `schedule`. */
export const runsOf = (app: AppContext, signal: AbortSignal) =>
  createRetriedRuns(app, { ...undated, command: 'schedule' }, signal, {
    retryForMs: app.config.retryForMs,
    report: () => {},
  });

/**
 * Keeps the schedule up from the time's now to `until`, with the real parts of a world.
 *
 * @param onWake may let more time pass; gets how often the schedule was woken, and what it works with
 */
export async function keepUp(
  world: World,
  settings: World['environment'],
  time: SimulatedTime,
  until: string,
  onWake: (wakes: number, app: AppContext) => unknown = () => {},
  log?: Logger,
): Promise<void> {
  const clock = () => time.now;
  const app = contextOf({ ...world.environment, ...settings }, clock, log);
  const stop = new AbortController();
  const end = Temporal.Instant.from(until);
  const { schedule: expression, planning } = app.config;
  const scheduledTimes = scheduledTimesOf({ expression, timeZone: planning.timeZone });
  let wakes = 0;
  const trigger = {
    async next(interval: Interval) {
      time.now = time.now.add({ milliseconds: untilWake(time, scheduledTimes, interval) });
      await onWake(++wakes, app);
      if (Temporal.Instant.compare(time.now, end) >= 0) stop.abort();
    },
  };
  try {
    const doNextRun = runsOf(app, stop.signal);
    await onSchedule({ scheduledTimes, clock, trigger }, stop.signal, (scheduledFor) =>
      doNextRun(scheduledFor).catch((error: unknown) => {
        // An unexpected one fails the test.
        if (endingOf(error).exitCode === exitCode.internal) throw error;
        return 'done' as const;
      }),
    );
  } finally {
    await app.warehouse.destroy();
  }
}

/** The scheduled times of the runs, oldest run first, in the clock of a zone, and how they ended. */
export async function scheduledRuns(world: World, timeZone: string): Promise<string[]> {
  const runs = await world.query<{ scheduledFor: Date | null; outcome: string }>(
    'select scheduled_at as "scheduledFor", outcome from etl.runs order by run_id',
  );
  return runs.map(({ scheduledFor, outcome }) => {
    const shown = scheduledFor?.toTemporalInstant().toZonedDateTimeISO(timeZone).toPlainDateTime();
    return `${shown?.toString({ smallestUnit: 'minute' }) ?? 'none'} ${outcome}`;
  });
}

/** Days with how often a digest of them was built or skipped. */
export async function digestDays(world: World): Promise<string[]> {
  const rows = await world.query<{ line: string }>(
    `select concat_ws(' ', day, case when mail_id is null then 'skipped' else 'built' end,
       count(distinct mail_id)) as line
     from etl.mailed_periods group by day, mail_id is null order by 1`,
  );
  return rows.map((row) => row.line);
}

/** As if the warehouse had been set up then: the nights of these tests lie in the past. */
export async function setUp(world: World, instant: string): Promise<void> {
  await world.query('update etl.migrations set timestamp = $1', [instant]);
}
