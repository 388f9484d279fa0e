import { createTask, parse } from 'node-cron';

/** A cron expression, and the zone of its times. */
export type Schedule = {
  readonly expression: string;
  readonly timeZone: string;
};

/** The times at which runs are due. */
export type ScheduledTimes = {
  /** The last time at or before `now`. */
  newest(now: Temporal.Instant): Temporal.Instant;
  /** The first one after `now`. */
  next(now: Temporal.Instant): Temporal.Instant;
};

/** The dates that match, and the seconds after midnight at which a run is due, in order. */
type Calendar = {
  readonly matches: (date: Temporal.PlainDate) => boolean;
  readonly seconds: readonly number[];
};

/** The rarest date, a 29 February on a given weekday, occurs at least every 40 years. */
const maxDays = 50 * 366;

/**
 * The scheduled times of a schedule. A skipped local time runs right after the gap; a repeated one runs once, the
 * first time. Throws an Error if the expression is invalid; `newest` and `next` throw if no date matches it.
 */
export function scheduledTimesOf({ expression, timeZone }: Schedule): ScheduledTimes {
  const { matches, seconds } = readCalendar(expression);
  const dateOf = (now: Temporal.Instant) => now.toZonedDateTimeISO(timeZone).toPlainDate();

  const timeOf = (date: Temporal.PlainDate, index: number) =>
    instantOf(date.toPlainDateTime().add({ seconds: seconds[index]! }), timeZone);

  /**
   * Counts the scheduled times of a date up to `now`. They come first: a later local time is never an earlier
   * instant.
   */
  const countPast = (date: Temporal.PlainDate, now: Temporal.Instant) =>
    countWhile(seconds.length, (index) => Temporal.Instant.compare(timeOf(date, index), now) <= 0);

  const search = (from: Temporal.PlainDate, step: 1 | -1, indexOn: (date: Temporal.PlainDate) => number) => {
    for (let days = 0, date = from; days < maxDays; days++, date = date.add({ days: step })) {
      if (!matches(date) || !exists(date, timeZone)) continue;
      const index = indexOn(date);
      if (seconds[index] !== undefined) return timeOf(date, index);
    }
    throw new RangeError(`no date matches ${expression}`);
  };

  return {
    // Clocks that are set back over midnight have already shown tomorrow.
    newest: (now) => search(dateOf(now).add({ days: 1 }), -1, (date) => countPast(date, now) - 1),
    next: (now) => search(dateOf(now), 1, (date) => countPast(date, now)),
  };
}

function readCalendar(expression: string): Calendar {
  const { month, hour, minute, second } = parse(expression);
  const minutes = hour.flatMap((each) => minute.map((added) => each * 60 + added));
  const seconds = minutes.flatMap((each) => second.map((added) => each * 60 + added)).sort((a, b) => a - b);
  // UTC has no clock changes: node-cron matches by the calendar alone.
  const task = createTask(expression, () => {}, { timezone: 'UTC' });
  // Without this, node-cron's registry would keep the task for ever.
  void task.destroy();
  const matches = (date: Temporal.PlainDate) => {
    if (!month.includes(date.month)) return false;
    const time = date.toZonedDateTime('UTC').add({ seconds: seconds[0]! });
    return task.match(new Date(time.epochMilliseconds));
  };
  return { matches, seconds };
}

/** Returns whether the zone has that date: Apia went from 29 to 31 December 2011. */
function exists(date: Temporal.PlainDate, timeZone: string): boolean {
  return date.toZonedDateTime(timeZone).toPlainDate().equals(date);
}

/** The first instant at which the zone shows a local time, or the end of the gap that skips it. */
function instantOf(local: Temporal.PlainDateTime, timeZone: string): Temporal.Instant {
  const shown = local.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  if (shown.toPlainDateTime().equals(local)) return shown.toInstant();
  return shown.getTimeZoneTransition('next')!.toInstant();
}

/** Counts the leading indexes for which `holds` is true, by bisection: after the first false, all are false. */
function countWhile(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
