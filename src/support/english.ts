import { addDays, type Day, today } from '../model/day.ts';
import type { Period } from '../model/period.ts';
import type { CountName } from '../model/records.ts';

const counts = new Intl.NumberFormat('en');
const lists = new Intl.ListFormat('en-GB', { type: 'conjunction' });

export const countWords: { readonly [name in CountName]: string } = {
  attempts: 'attempts',
  busies: 'busies',
  connects: 'connects',
  liveAnswers: 'live answers',
};

/** `12,480`: a number, or decimal text, which may have more digits than a double. */
export const formatCount = (count: number | string): string => counts.format(count as number);

/** `day` for one, `days` for any other number. */
export const plural = (count: number | string, noun: string, nouns = `${noun}s`): string =>
  Number(count) === 1 ? noun : nouns;

/** `1,204 rows`, `1 row`. */
export const formatCountOf = (count: number | string, noun: string, nouns?: string): string =>
  `${formatCount(count)} ${plural(count, noun, nouns)}`;

/** `one, two and three`. */
export const formatList = (items: readonly string[]): string => lists.format(items);

/** Capitalizes the first letter. */
export const capitalize = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Adds a full stop if the line ends with none. */
export const withStop = (line: string): string => (/[.!?…]$/.test(line) ? line : `${line}.`);

/** Lists a few days; days in a row and many days are a range. Days are sorted, each once. */
export const formatDays = (days: readonly Day[]): string =>
  listOrRange(
    days,
    (day) => day,
    (names) => names.join(', '),
  );

function listOrRange(
  days: readonly Day[],
  format: (day: Day) => string,
  list: (names: readonly string[]) => string,
): string {
  const names = days.map(format);
  const range = `${names[0]} to ${names.at(-1)}`;
  if (days.length > 3) return `${days.length} days from ${range}`;
  const isRow = days.length === 3 && addDays(days[0]!, 2) === days[2];
  return isRow ? range : list(names);
}

/** Short names, from January on. */
export const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** `Thu 19 Nov`. Doesn't use Intl, which is slow: a page has thousands of days. */
export function formatDay(day: Day): string {
  const date = new Date(`${day}T00:00:00Z`);
  return `${weekdays[date.getUTCDay()]} ${date.getUTCDate()} ${months[date.getUTCMonth()]}`;
}

/** `20 Nov`, in a sentence; with the year if it isn't the current one. */
export function formatDate(day: Day, today: Day): string {
  const [year, month, date] = day.split('-');
  const name = `${Number(date)} ${months[Number(month) - 1]}`;
  return today.startsWith(year!) ? name : `${name} ${year}`;
}

/** `20 Nov`, `the week of 16 Nov`, `Nov 2026`, with the days in that format. */
export function formatPeriod({ every, from }: Period, format: (day: Day) => string): string {
  if (every === 'month') return `${months[Number(from.slice(5, 7)) - 1]} ${from.slice(0, 4)}`;
  return every === 'week' ? `the week of ${format(from)}` : format(from);
}

/** `20 Nov, 06:30 (Europe/Madrid)`; with the year if it isn't the current one. */
export function formatScheduledTime(time: Temporal.Instant, timeZone: string, now: Temporal.Instant): string {
  const clock = time.toZonedDateTimeISO(timeZone).toPlainTime().toString({ smallestUnit: 'minute' });
  return `${formatDate(today(time, timeZone), today(now, timeZone))}, ${clock} (${timeZone})`;
}

/** A few dates as a list, dates in a row and many as a range. Days are sorted, each once. */
export const formatDates = (days: readonly Day[], today: Day): string =>
  listOrRange(days, (day) => formatDate(day, today), formatList);

/** A duration: `83 ms`, `1.2 s`, `3 min 20 s`. */
export function formatElapsed(milliseconds: number): string {
  // Rounded first: 999.6 ms is 1.0 s, and 59.96 s is 1 min.
  const whole = Math.round(milliseconds);
  if (whole < 1_000) return `${whole} ms`;
  const tenths = Math.round(milliseconds / 100);
  return tenths < 600 ? `${(tenths / 10).toFixed(1)} s` : formatDuration(milliseconds);
}

/** A duration in its two greatest units: `45 s`, `3 min 20 s`, `5 h 12 min`, `3 d 4 h`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  const units = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const greatest = units.findIndex(([amount]) => amount > 0);
  if (greatest === -1) return '0 s';
  return units
    .slice(greatest, greatest + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ');
}
