import { formatCountOf, formatList } from '../support/english.ts';
import type { AppContext } from './run/app-context.ts';
import { endingOf } from './run/ending.ts';
import type { AttemptEnd } from './run/run.ts';
import type { RunStats } from './run/run-stats.ts';

/** Logs what an attempt left, and when the next one begins. */
export function logWait({ log, config }: Pick<AppContext, 'log' | 'config'>, ended: AttemptEnd): void {
  const { report, error, next } = ended;
  if (next === null) return;
  const { at, attempt } = next;
  const timeOf = (instant: Temporal.Instant) =>
    instant.toZonedDateTimeISO(config.planning.timeZone).toPlainTime().toString({ smallestUnit: 'second' });
  const left = report === null ? endingOf(error).line : `${describeLeft(report.stats)} left`;
  const until = attempt.until === null ? '' : `, until ${timeOf(attempt.until)}`;
  log.warn(
    { run: attempt.ongoing?.run, attempt: attempt.number, retryAt: at.toString() },
    `retry: ${left}; attempt ${attempt.number} starts at ${timeOf(at)}${until}`,
  );
}

function describeLeft({ failures, mailPutOff }: RunStats): string {
  const windows = failures.filter(({ day }) => day !== null).length;
  const lists = failures.length - windows;
  const parts: string[] = [];
  if (windows > 0) parts.push(formatCountOf(windows, 'window'));
  if (lists > 0) parts.push(formatCountOf(lists, 'client list'));
  if (mailPutOff > 0) parts.push(formatCountOf(mailPutOff, 'message'));
  return formatList(parts);
}
