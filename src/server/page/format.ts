import type { Day } from '../../model/day.ts';

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Thu 19 Nov`. By hand, for a page has thousands of them, and Intl takes its time. */
export function formatDay(day: Day): string {
  const date = new Date(`${day}T00:00:00Z`);
  return `${weekdays[date.getUTCDay()]} ${date.getUTCDate()} ${months[date.getUTCMonth()]}`;
}

/** With a capital at its beginning, and a full stop. */
export const asSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** `Thu 19 Nov, 06:30` in `zone`. */
export function formatInstant(instant: Temporal.Instant, zone: string): string {
  const local = instant.toZonedDateTimeISO(zone);
  return `${formatDay(local.toPlainDate().toString())}, ${local.toPlainTime().toString().slice(0, 5)}`;
}

/** What Postgres writes of a point in time. */
export const instantOf = (text: string): Temporal.Instant => Temporal.Instant.from(text);
