import type { Day } from '../model/day.ts';
import { type CountName, countNames } from '../model/records.ts';
import { plural } from '../support/english.ts';

/** A number, or one of more digits than a double has: exact as bigint or decimal text. */
export type Exact = number | bigint | string;

/** How the counts are called in a sentence. */
export const countWords = {
  attempts: 'attempts',
  busies: 'busies',
  connects: 'connects',
  liveAnswers: 'live answers',
} as const satisfies Record<CountName, string>;

export type Format = ReturnType<typeof createFormat>;

/** How a digest writes numbers and dates: by its locale, and times in its zone. The texts around are English. */
export function createFormat(locale: string, timeZone: string) {
  const counts = new Intl.NumberFormat(locale);
  const shortCounts = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
  const percent = { style: 'percent', maximumFractionDigits: 0 } as const;
  const rates = new Intl.NumberFormat(locale, percent);
  const changes = new Intl.NumberFormat(locale, { ...percent, signDisplay: 'exceptZero' });
  const amounts = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 20 });
  const times = new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  });
  const range = new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  const count = (value: Exact | null) => (value === null ? '–' : counts.format(value as number));
  return {
    /** `12,480`; a dash where the service reported no count. */
    count,
    /** `20K`, where there is little room. */
    shortCount: (value: number) => shortCounts.format(value),
    /** `1 campaign`, `2 campaigns`. */
    countOf: (value: number, noun: string) => `${count(value)} ${plural(value, noun)}`,
    /** `61%`; a dash where there is no rate. */
    rate: (value: number | null) => (value === null ? '–' : rates.format(value)),
    /** `+4%`, `-2%`, `0%`. */
    change: (value: number) => changes.format(value),
    /** `attempts 12,480 → 12,510, connects 7,613 → 7,620`; empty where the counts are the same. */
    countChanges: (from: ExactCounts, to: ExactCounts) =>
      countNames
        .filter((name) => from[name] !== to[name])
        .map((name) => `${countWords[name]} ${count(from[name])} → ${count(to[name])}`)
        .join(', '),
    /** `1,234.50`, of decimal text. */
    money: (value: string) => amounts.format(value as `${number}`),
    /** `Thu 19 Nov`. */
    day: formatDate(locale, { weekday: 'short', day: 'numeric', month: 'short' }),
    /** `Thursday 19 November 2026`. */
    longDay: formatDate(locale, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
    /** `16 Nov`. */
    shortDay: formatDate(locale, { day: 'numeric', month: 'short' }),
    /** `16–22 November 2026`. */
    dates: (from: Day, to: Day) => range.formatRange(asDate(from), asDate(to)),
    /** `November 2026`. */
    monthYear: formatDate(locale, { month: 'long', year: 'numeric' }),
    /** `November`. */
    monthName: formatDate(locale, { month: 'long' }),
    /** `Thu`. */
    weekday: formatDate(locale, { weekday: 'short' }),
    /** `T`. */
    weekdayLetter: formatDate(locale, { weekday: 'narrow' }),
    /** `Nov`. */
    month: formatDate(locale, { month: 'short' }),
    /** `20 Nov 2026, 06:31 GMT`, of a timestamp as Postgres writes it. */
    time: (timestamp: string) => times.format(new Date(timestamp)),
  };
}

type ExactCounts = { readonly [name in CountName]: Exact | null };

// Commas between the parts of a date only clutter a subject.
function formatDate(locale: string, options: Intl.DateTimeFormatOptions): (day: Day) => string {
  const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
  return (day) => format.format(asDate(day)).replaceAll(/[,،]/g, '');
}

const asDate = (day: Day) => Date.parse(`${day}T00:00:00Z`);

/** `part / whole`; null where there is nothing to divide by. Of exact sums, right to fifteen digits. */
export function rate(part: number | bigint | null, whole: number | bigint | null): number | null {
  return part === null || whole === null || Number(whole) === 0 ? null : Number(part) / Number(whole);
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const maxNameLength = 80;

/**
 * A name of the service's as it appears in a sentence: on one line, of limited length, and without the marks that would
 * turn the direction of the text after it. The CSV has it whole.
 */
export function displayName(name: string | null, fallback = ''): string {
  const line = (name ?? '')
    // Far more than is shown, and a bound to the work.
    .slice(0, 2_000)
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  if (line === '') return fallback;
  const letters = Array.from(graphemes.segment(line), ({ segment }) => segment);
  return letters.length > maxNameLength ? `${letters.slice(0, maxNameLength - 1).join('')}…` : line;
}
