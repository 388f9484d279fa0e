import type { Day } from '../model/day.ts';

const locale = 'en-GB';
const wholeNumbers = new Intl.NumberFormat(locale);
const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });

/** `12,480`; a dash where the service told no count. */
export function formatCount(value: number | null): string {
  return value === null ? '–' : wholeNumbers.format(value);
}

/** `part / whole`; null where there is nothing to divide by. */
export function rate(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : part / whole;
}

/** `61%`; a dash where there is no rate. */
export function formatRate(value: number | null): string {
  return value === null ? '–' : percents.format(value);
}

/** `Thu 19 Nov`, or with its year. */
export function formatDay(day: Day, style: 'short' | 'long' = 'short'): string {
  const wanted = style === 'long' ? ['weekday', 'day', 'month', 'year'] : ['weekday', 'day', 'month'];
  const length = style === 'long' ? 'long' : 'short';
  const format = new Intl.DateTimeFormat(locale, {
    weekday: length,
    day: 'numeric',
    month: length,
    year: 'numeric',
    timeZone: 'UTC',
  });
  return format
    .formatToParts(Date.parse(`${day}T00:00:00Z`))
    .filter((part) => wanted.includes(part.type))
    .map((part) => part.value)
    .join(' ');
}
