import { restrictsBothDays } from './expression.ts';
import type { Schedule, ScheduledTimes } from './scheduled-times.ts';

/** Enough to meet each time of the day of any nightly schedule. */
const maxTimes = 50;

/** What a user may not expect of a schedule, a line each. */
export function scheduleWarnings(
  schedule: Schedule,
  scheduledTimes: ScheduledTimes,
  now: Temporal.Instant,
): string[] {
  const warnings = [warnOfBothDays(schedule), warnOfClockChanges(schedule, scheduledTimes, now)];
  return warnings.filter((warning) => warning !== null);
}

function warnOfBothDays({ expression }: Schedule): string | null {
  if (!restrictsBothDays(expression)) return null;
  return (
    `SCHEDULE "${expression}" has a day of month and a day of week: it runs on days that match both, ` +
    'unlike some other crons; for one or the other, leave * in the other field'
  );
}

function warnOfClockChanges(
  { expression, timeZone }: Schedule,
  scheduledTimes: ScheduledTimes,
  now: Temporal.Instant,
): string | null {
  const today = now.toZonedDateTimeISO(timeZone);
  const change = today.getTimeZoneTransition('next');
  if (change === null || Temporal.ZonedDateTime.compare(change, today.add({ years: 1 })) > 0) return null;
  let time = scheduledTimes.next(now);
  for (let examined = 0; examined < maxTimes; examined++) {
    const { hour } = time.toZonedDateTimeISO(timeZone);
    if (hour === 1 || hour === 2)
      return (
        `SCHEDULE "${expression}" runs between 01:00 and 03:00, when clocks change in ${timeZone}, next on ` +
        `${change.toPlainDate()}: it runs once on that day, but not 24 hours after the day before; ` +
        'better is SCHEDULE="30 6 * * *"'
      );
    time = scheduledTimes.next(time);
  }
  return null;
}
