import type { Day } from '../../model/day.ts';

const locale = 'en-GB';
const counts = new Intl.NumberFormat(locale);
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const lists = new Intl.ListFormat(locale, { type: 'conjunction' });

/** `12,480`. */
export const formatCount = (count: number): string => counts.format(count);

/** `3 days`, `1 day`. */
export const formatNumberOf = (count: number, what: string, several = `${what}s`): string =>
  `${formatCount(count)} ${count === 1 ? what : several}`;

/** `Thu 19 Nov`. By hand, for a page has thousands of them, and Intl takes its time. */
export function formatDay(day: Day): string {
  const date = new Date(`${day}T00:00:00Z`);
  return `${weekdays[date.getUTCDay()]} ${date.getUTCDate()} ${months[date.getUTCMonth()]}`;
}

/** With a capital at its beginning, and a full stop. */
export const asSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** `one, two and three`. */
export const formatList = (items: readonly string[]): string => lists.format(items);

/** `Thu 19 Nov, 06:30` in `zone`. */
export function formatInstant(instant: Temporal.Instant, zone: string): string {
  const local = instant.toZonedDateTimeISO(zone);
  return `${formatDay(local.toPlainDate().toString())}, ${local.toPlainTime().toString().slice(0, 5)}`;
}

/** What Postgres writes of a point in time. */
export const instantOf = (text: string): Temporal.Instant => Temporal.Instant.from(text);

/** `45 s`, `3 min 20 s`, `5 h 12 min`, `3 d 4 h`: the two greatest units that there are. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  const app = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = app.findIndex(([amount]) => amount > 0);
  if (first === -1) return '0 s';
  return app
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ');
}
