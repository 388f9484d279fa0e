import type { Day } from '../model/day.ts';
import { plural } from '../support/english.ts';

/** How a digest writes numbers and dates: by its locale, and times in its zone. The texts around are English. */
export type Format = {
  /** `12,480`; a dash where the service reported no count. */
  count(value: number | null): string;
  /** `61%`; a dash where there is no rate. */
  rate(value: number | null): string;
  /** `+4%`, `-2%`, `0%`. */
  change(value: number): string;
  /** `1,234.50`, of decimal text. */
  money(value: string): string;
  /** `Thu 19 Nov`. */
  day(day: Day): string;
  /** `Thursday 19 November 2026`. */
  longDay(day: Day): string;
  /** `Thu`. */
  weekday(day: Day): string;
  /** `20 Nov 2026, 06:31 GMT`, of an instant as Postgres writes it. */
  time(instant: string): string;
};

export function formatter(locale: string, timeZone: string): Format {
  const counts = new Intl.NumberFormat(locale);
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const changes = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  });
  const amounts = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 20 });
  const days = dates(locale, { weekday: 'short', day: 'numeric', month: 'short' });
  const longDays = dates(locale, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
  const weekdays = dates(locale, { weekday: 'short' });
  const times = new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  });
  return {
    count: (value) => (value === null ? '–' : counts.format(value)),
    rate: (value) => (value === null ? '–' : percents.format(value)),
    change: (value) => changes.format(value),
    money: (value) => amounts.format(value as `${number}`),
    day: days,
    longDay: longDays,
    weekday: weekdays,
    time: (instant) => times.format(new Date(instant)),
  };
}

// Commas between the parts of a date only clutter a subject.
function dates(locale: string, options: Intl.DateTimeFormatOptions): (day: Day) => string {
  const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
  return (day) => format.format(Date.parse(`${day}T00:00:00Z`)).replaceAll(/[,،]/g, '');
}

/** `part / whole`; null where there is nothing to divide by. */
export function rate(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : part / whole;
}

/** `1 campaign`, `2 campaigns`. */
export function counted(count: number, word: string, { count: written }: Format): string {
  return `${written(count)} ${plural(count, word)}`;
}
