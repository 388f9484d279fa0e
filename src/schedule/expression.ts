import { parse, validateDetailed } from 'node-cron';
import { type Schedule, scheduledTimesOf } from './scheduled-times.ts';

/** The errors of a cron expression of five fields, or of six that begin with seconds; none if it is valid. */
export function expressionErrors(expression: string): string[] {
  const { errors } = validateDetailed(expression);
  if (errors.length > 0) return errors.map(({ message }) => message);
  try {
    scheduledTimesOf({ expression, timeZone: 'UTC' }).next(Temporal.Now.instant());
    return [];
  } catch {
    return ['no date matches it'];
  }
}

/** The surprises of a schedule, a line each. */
export function scheduleWarnings(schedule: Schedule, now: Temporal.Instant): string[] {
  const warnings = [warnOfBothDays(schedule), warnOfClockChanges(schedule, now)];
  return warnings.filter((warning) => warning !== null);
}

function warnOfBothDays({ expression }: Schedule): string | null {
  const { dayOfMonth, dayOfWeek } = parse(expression);
  if (dayOfMonth.length === 31 || dayOfWeek.length === 7) return null;
  return (
    `SCHEDULE "${expression}" has a day of month and a day of week: it runs on days that match both, ` +
    'unlike some other crons; for one or the other, leave * in the other field'
  );
}

/** Enough for every time of day of a nightly schedule. */
const maxTimes = 50;

function warnOfClockChanges(schedule: Schedule, now: Temporal.Instant): string | null {
  const { expression, timeZone } = schedule;
  const today = now.toZonedDateTimeISO(timeZone);
  const change = today.getTimeZoneTransition('next');
  if (change === null || Temporal.ZonedDateTime.compare(change, today.add({ years: 1 })) > 0) return null;
  const scheduledTimes = scheduledTimesOf(schedule);
  let time = now;
  for (let examined = 0; examined < maxTimes; examined++) {
    time = scheduledTimes.next(time);
    if ([1, 2].includes(time.toZonedDateTimeISO(timeZone).hour))
      return (
        `SCHEDULE "${expression}" runs between 01:00 and 03:00, when clocks change in ${timeZone}, next on ` +
        `${change.toPlainDate()}: it runs once on that day, but not 24 hours after the day before; ` +
        "better is SCHEDULE='30 6 * * *'"
      );
  }
  return null;
}
