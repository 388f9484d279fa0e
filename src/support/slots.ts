import { Cron } from 'croner';

/** When to run: a cron expression, and the zone whose clocks it means. */
export type Schedule = { readonly expression: string; readonly timeZone: string };

/** The slots of a schedule: the instants at which it wants a run. */
export type Slots = {
  /** The newest one at `now` or before; null where there is none. */
  newest(now: Temporal.Instant): Temporal.Instant | null;
  /** The first one after `now`; null where there is none. */
  next(now: Temporal.Instant): Temporal.Instant | null;
};

/**
 * A time that the clocks skip comes when they go on, one that they show twice comes once; only where minutes or hours
 * are a `*` or a step does it follow the clocks. Throws an Error that says what is wrong with the expression.
 */
export function slotsOf({ expression, timeZone }: Schedule): Slots {
  const cron = new Cron(expression, {
    timezone: timeZone,
    mode: '5-or-6-parts',
    fixedTimeRule: 'no-wildcard',
    paused: true,
  });
  const instant = (date: Date | null | undefined) => date?.toTemporalInstant() ?? null;
  const date = (ms: number) => new Date(ms);
  return {
    // What comes before the next millisecond: the slot of this very one included.
    newest: (now) => instant(cron.previousRuns(1, date(now.epochMilliseconds + 1))[0]),
    next: (now) => instant(cron.nextRun(date(now.epochMilliseconds))),
  };
}
