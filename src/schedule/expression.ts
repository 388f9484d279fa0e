import { type CronFieldError, parse, validateDetailed } from 'node-cron';
import { type Schedule, scheduledTimesOf } from './scheduled-times.ts';

/** The errors of a cron expression of five fields, or of six that begin with seconds; none if it is valid. */
export function expressionErrors(expression: string): string[] {
  const { errors } = validateDetailed(expression);
  if (errors.length > 0) return errors.map(describeError);
  const surprises = [...backwards(expression), ...stepsTooLarge(expression)];
  if (surprises.length > 0) return surprises;
  try {
    scheduledTimesOf({ expression, timeZone: 'UTC' }).next(Temporal.Now.instant());
    return [];
  } catch {
    return ['no date matches it'];
  }
}

/** node-cron goes on at the first value; ranges of names may do that, such as `fri-mon`. */
const backwards = (expression: string): string[] =>
  [...expression.matchAll(/(\d+)-(\d+)/g)]
    .filter(([, from, to]) => Number(from) > Number(to))
    .map(([range]) => `${range} runs backwards`);

/** The largest value of each field, from the last to that of seconds. */
const maxima = [7, 12, 31, 23, 59, 59];

/** They match the first value alone, where somebody wanted every 90 minutes. */
const stepsTooLarge = (expression: string): string[] =>
  expression
    .split(' ')
    .reverse()
    .flatMap((field, index) =>
      [...field.matchAll(/\/(\d+)/g)]
        .filter(([, step]) => Number(step) > maxima[index]!)
        .map(([step]) => `the step ${step} is larger than its field`),
    );

/** The values of each field; node-cron's own messages don't name them. */
const fieldValues: { readonly [field: string]: string } = {
  second: 'a second from 0 to 59',
  minute: 'a minute from 0 to 59',
  hour: 'an hour from 0 to 23',
  dayOfMonth: 'a day of the month from 1 to 31',
  month: 'a month from 1 to 12 or jan to dec',
  dayOfWeek: 'a day of the week from 0 to 7 or sun to sat',
};

function describeError({ field, value, message }: CronFieldError): string {
  if (message.includes('impossible day')) return `none of its months has a day ${value}`;
  if (message.includes('illegal characters')) return 'it has a character or a word that cron does not know';
  const values = fieldValues[field];
  return values === undefined ? message : `${value} is not ${values}`;
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
    'unlike some other crons; to use only one of them, leave * in the other field'
  );
}

/** A monthly schedule may meet a clock change only years ahead. */
const yearsAhead = 5;

/** Warns of the next clock change that skips or repeats a scheduled time. */
function warnOfClockChanges(schedule: Schedule, now: Temporal.Instant): string | null {
  const { expression, timeZone } = schedule;
  // UTC stands for local time here: it skips and repeats nothing.
  const localTimes = scheduledTimesOf({ expression, timeZone: 'UTC' });
  const end = now.toZonedDateTimeISO(timeZone).add({ years: yearsAhead });
  let change = now.toZonedDateTimeISO(timeZone).getTimeZoneTransition('next');
  while (change !== null && Temporal.ZonedDateTime.compare(change, end) < 0) {
    const before = change.subtract({ nanoseconds: 1 }).offsetNanoseconds;
    const isSkipped = change.offsetNanoseconds > before;
    const local = change.toPlainDateTime().toZonedDateTime('UTC').toInstant();
    const other = local.add({ nanoseconds: before - change.offsetNanoseconds });
    const [first, last] = isSkipped ? [other, local] : [local, other];
    const time = localTimes.next(first.subtract({ nanoseconds: 1 }));
    if (Temporal.Instant.compare(time, last) < 0) {
      const shown = time.toZonedDateTimeISO('UTC');
      const clock = change.toPlainTime().toString({ smallestUnit: 'minute' });
      const event = isSkipped
        ? `is skipped there on ${shown.toPlainDate()}: it runs at ${clock} then`
        : `comes twice there on ${shown.toPlainDate()}: it runs at the first`;
      const at = shown.toPlainTime().toString({ smallestUnit: 'minute' });
      return `SCHEDULE "${expression}": clocks change in ${timeZone}, and ${at} ${event}; a better time is SCHEDULE='30 6 * * *'`;
    }
    change = change.getTimeZoneTransition('next');
  }
  return null;
}
