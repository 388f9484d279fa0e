import { type Anomaly, type AnomalyCode, knowableCodes } from '../../model/anomaly.ts';
import type { Day } from '../../model/day.ts';
import type { EarlierDay } from '../../model/window.ts';

/** The days with rows that say what is the way of a service, newest first. */
const lastDays = 14;
const minDays = 3;
const minRunDates = 2;

/**
 * Returns whether an anomaly is the way of the service (design, *Known*): more than half of the last 14 days with rows had it, in
 * the response that is loaded. A larger one than most of them had is known only if a day at least a week away had it, too: a service
 * may list less at weekends, and one bad week doesn't excuse its own days.
 *
 * @param day the day that has the anomaly
 * @param earlier of the account, in any order
 */
export function isKnown(anomaly: Anomaly, day: Day, earlier: readonly EarlierDay[]): boolean {
  if (!(knowableCodes as readonly AnomalyCode[]).includes(anomaly.code)) return false;
  const last = earlier
    .filter(({ rows }) => rows > 0)
    .sort((one, other) => Number(one.day < other.day) - Number(one.day > other.day))
    .slice(0, lastDays);
  const having = last.filter(({ anomalies }) => anomalies.some(({ code }) => code === anomaly.code));
  if (having.length < minDays || having.length * 2 <= last.length) return false;
  // Each run fetches a provisional day again, so all newest responses may be of one run date.
  if (new Set(having.flatMap(({ runDates }) => runDates[anomaly.code] ?? [])).size < minRunDates)
    return false;
  const asLarge = having.filter(
    (each) => each.day !== day && each.anomalies.some((other) => isAtLeast(other, anomaly)),
  );
  const others = last.filter((each) => each.day !== day).length;
  return asLarge.length * 2 > others || asLarge.some((each) => isWeekAway(each.day, day));
}

/** Returns whether an anomaly of another day is of the same kind, and not smaller. */
function isAtLeast(other: Anomaly, anomaly: Anomaly): boolean {
  if (anomaly.code === 'announced')
    return (
      other.code === 'announced' &&
      (other.announced - other.listed >= anomaly.announced - anomaly.listed ||
        other.listed * anomaly.announced <= anomaly.listed * other.announced)
    );
  if (anomaly.code === 'unreadable_counts')
    return (
      other.code === 'unreadable_counts' &&
      (other.campaigns >= anomaly.campaigns ||
        other.campaigns * anomaly.listed >= anomaly.campaigns * other.listed)
    );
  if (anomaly.code === 'unreported')
    return other.code === 'unreported' && anomaly.counts.every((name) => other.counts.includes(name));
  return other.code === anomaly.code;
}

const isWeekAway = (one: Day, other: Day) => Math.abs(Temporal.PlainDate.from(one).until(other).days) >= 7;
