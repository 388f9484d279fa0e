import { addDays, type Day } from './day.ts';
import { daysOf } from './period.ts';

/** The calendar day that `now` falls on in `timeZone`. */
export function today(now: Temporal.Instant, timeZone: string): Day {
  return now.toZonedDateTimeISO(timeZone).toPlainDate().toString();
}

/** The calendar day before today in `timeZone`: what a nightly run is about. */
export function yesterday(now: Temporal.Instant, timeZone: string): Day {
  return addDays(today(now, timeZone), -1);
}

/** Every day from `from` to `to`, both included; none if `to` is earlier. */
export const daysBetween = (from: Day, to: Day): Day[] => daysOf({ from, to });

/** Whether `day` has ended in `timeZone`. What was fetched before is provisional. */
export function isOver(day: Day, timeZone: string, now: Temporal.Instant): boolean {
  const end = Temporal.PlainDate.from(addDays(day, 1)).toZonedDateTime(timeZone);
  return Temporal.Instant.compare(end.toInstant(), now) <= 0;
}
