import type { Schedule, ScheduledTimes } from '../cron/scheduled-times.ts';

/** Enough to meet each time of the day of any schedule of nights. */
const slotsExamined = 50;

/** A line about a schedule whose runs come where clocks change; null where there is nothing to say. */
export function warnOfClockChanges(
  schedule: Schedule,
  slots: ScheduledTimes,
  now: Temporal.Instant,
): string | null {
  const { expression, timeZone } = schedule;
  const today = now.toZonedDateTimeISO(timeZone);
  const change = today.getTimeZoneTransition('next');
  if (change === null || Temporal.ZonedDateTime.compare(change, today.add({ years: 1 })) > 0) return null;
  let slot = slots.next(now);
  for (let examined = 0; examined < slotsExamined; examined++) {
    const { hour } = slot.toZonedDateTimeISO(timeZone);
    if (hour === 1 || hour === 2)
      return (
        `SCHEDULE "${expression}" comes between 01:00 and 03:00, when clocks change in ${timeZone}, next on ` +
        `${change.toPlainDate()}: then it runs once, but at another distance from the day before; ` +
        'better would be SCHEDULE="30 6 * * *"'
      );
    slot = slots.next(slot);
  }
  return null;
}
