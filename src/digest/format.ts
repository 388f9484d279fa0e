import type { Day } from '../model/day.ts';
import type { PeriodFigures } from '../model/digest.ts';
import { countNames, type RateSums, type Sums } from '../model/records.ts';
import { namedSign } from '../support/decoding.ts';
import { languageOf } from './words/languages.ts';

export type Format = ReturnType<typeof createFormat>;

/** Accounts that a line names; further ones are counted. */
export const maxNames = 5;

/**
 * The words of a digest and its formats of numbers, dates and times, all in one language: the locale's if it has words,
 * else English.
 *
 * @param timeZone zone of `time`
 * @param today day of the digest: dates of other years show their year
 */
export function createFormat(wanted: string, timeZone: string, today: Day = '') {
  const { words, locale } = languageOf(wanted);
  const year = today.slice(0, 4);
  // Spanish groups from five digits on: in a column, `9205` above `15.628` looks like a mistake.
  const counts = new Intl.NumberFormat(locale, { useGrouping: 'always' });
  const rates = new Intl.NumberFormat(locale, { style: 'percent', ...decimals(1) });
  const changes = new Intl.NumberFormat(locale, { style: 'percent', signDisplay: 'exceptZero' });
  const differences = new Intl.NumberFormat(locale, {
    signDisplay: 'exceptZero',
    useGrouping: 'always',
    maximumFractionDigits: 0,
  });
  const points = new Intl.NumberFormat(locale, { ...decimals(1), signDisplay: 'exceptZero' });
  const amounts = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 20 });
  const lists = new Intl.ListFormat(locale);
  const shortDay = { weekday: 'short', day: 'numeric', month: 'short' } as const;
  const dayOfYear = formatDate(locale, shortDay);
  const dayAndYear = formatDate(locale, { ...shortDay, year: 'numeric' });
  const shortCounts = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
  const shortRates = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const time = { hour: 'numeric', minute: '2-digit', timeZone, timeZoneName: 'short' } as const;
  const date = { day: 'numeric', month: 'short' } as const;
  const timeOfYear = new Intl.DateTimeFormat(locale, { ...date, ...time });
  const timeAndYear = new Intl.DateTimeFormat(locale, { ...date, year: 'numeric', ...time });
  const yearOf = new Intl.DateTimeFormat('en', { year: 'numeric', timeZone });
  const count = (value: number | bigint | null) => (value === null ? '–' : withMinus(counts.format(value)));
  const withMore = (shown: readonly string[], count: number): readonly string[] => {
    const rest = count - shown.length;
    return rest > 0 ? [...shown, words.more(counts.format(rest))] : shown;
  };
  /** Shortens a list; what is left out is counted. */
  const shortened = (lines: readonly string[], max: number): readonly string[] =>
    lines.length <= max + 1 ? lines : withMore(lines.slice(0, max), lines.length);
  const reported = (value: bigint | null) => (value === null ? words.notReported : count(value));
  const difference = (value: number) => withMinus(differences.format(value));
  /** `+4%`, `−2%`, `no change`; null for a change of a small number, or above 300%. */
  const percent = (change: Compared): string | null => {
    const hundredths = percentOf(change);
    if (hundredths === 0 || Math.round(change.now) === Math.round(change.reference)) return words.noChange;
    if (change.reference < minPercentBase || hundredths > maxPercent) return null;
    return withMinus(changes.format(hundredths / 100));
  };
  return {
    words,
    /** BCP 47 tag. */
    locale,
    /** `12,480`; a dash if the service didn't report the count. */
    count,
    /** `20K`. */
    shortCount: (value: number) => shortCounts.format(value),
    /** `1 campaign`, `2 campaigns`. */
    countOf: (value: number, { one, many }: typeof words.days) =>
      `${count(value)} ${value === 1 ? one : many}`,
    shortened,
    /** `North, Coast and 3 more`, from labels. */
    names: (labels: readonly string[]) => {
      const names = labels.map((each) => displayName(each));
      return lists.format(shortened(names, maxNames));
    },
    /** A list that begins with these; the others are counted. */
    withMore,
    /** `one, two and three`. */
    list: (items: readonly string[]) => lists.format(items),
    /** `61.0%`, of all its parts; a dash if there is no rate. */
    rate: ({ part, attempts }: RateSums) => {
      const value = rate(part, attempts);
      return value === null ? '–' : rates.format(value);
    },
    /** `61.0%`, from 0.61. */
    rateOf: (value: number) => rates.format(value),
    /** `61%`. */
    shortRate: (value: number) => shortRates.format(value),
    percent,
    /** `4%`, without its sign; null if a percentage would say nothing. */
    percentSize: (change: Compared) => percent(change)?.replace(/^[+−]/, '') ?? null,
    /** `+2,427`, `−5`. */
    difference,
    /** `+1.2`, from 12 tenths of a point. */
    tenths: (tenths: number) => withMinus(points.format(tenths / 10)),
    /** `+1.2 points`: the difference of two rates. */
    points: (change: Compared) => {
      const tenths = tenthsOf(change);
      return tenths === 0 ? words.noChange : words.points(withMinus(points.format(tenths / 10)));
    },
    /** `1.2 points`, without its sign. */
    pointsSize: (change: Compared) =>
      words.points(points.format(Math.abs(tenthsOf(change)) / 10).replace('+', '')),
    /** `attempts 12,480 → 12,510, connects 7,613 → 7,620`; empty if no count changed. */
    countChanges: (from: Sums, to: Sums) =>
      countNames
        .filter((name) => from[name] !== to[name])
        .map((name) => `${words.counts[name]} ${reported(from[name])} → ${reported(to[name])}`)
        .join(', '),
    /** `1,520 attempts, 152 busies, connects not reported`. */
    sums: (sums: Sums) =>
      countNames
        .map((name) => {
          const sum = sums[name];
          return sum === null
            ? `${words.counts[name]} ${words.notReported}`
            : `${count(sum)} ${words.counts[name]}`;
        })
        .join(', '),
    /** `1,234.50`, from decimal text. */
    money: (value: string) => withMinus(amounts.format(value as `${number}`)),
    /** `Thu 19 Nov`, with the year if it isn't this one. */
    day: (day: Day) => (day.startsWith(year) ? dayOfYear : dayAndYear)(day),
    /** `Thursday 19 November 2026`. */
    longDay: formatDate(locale, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
    /** `16–22 November 2026`. */
    longDays: formatDays(locale, { day: 'numeric', month: 'long', year: 'numeric' }),
    /** `November 2026`. */
    monthYear: formatDate(locale, { month: 'long', year: 'numeric' }),
    /** `November`. */
    longMonth: formatDate(locale, { month: 'long' }),
    /** `Nov`. */
    month: formatDate(locale, { month: 'short' }),
    /** `T`. */
    weekdayLetter: formatDate(locale, { weekday: 'narrow' }),
    /** `Thu`. */
    weekday: formatDate(locale, { weekday: 'short' }),
    /** `Thursday`. */
    longWeekday: formatDate(locale, { weekday: 'long' }),
    /** `16–19 Nov`. */
    days: formatDays(locale, { day: 'numeric', month: 'short' }),
    /** `20 Nov, 06:31 GMT`, from a timestamp as Postgres writes it; with the year if it isn't this one. */
    time: (timestamp: string) => {
      const instant = new Date(timestamp);
      const ofYear = yearOf.format(instant).startsWith(year);
      return (ofYear ? timeOfYear : timeAndYear).format(instant);
    },
  };
}

/** Rounds halves away from 0, as numbers are shown; what no double holds counts as what it was meant to be. */
export const rounded = (value: number) => Math.sign(value) * Math.round(Number(Math.abs(value).toFixed(9)));

/** The change in percent, as shown; without a base, it is infinite. */
export const percentOf = ({ now, reference }: Compared) =>
  now === reference ? 0 : rounded((now / reference - 1) * 100);

/** The change of a rate in tenths of a point, as shown. */
export const tenthsOf = ({ now, reference }: Compared) => rounded((now - reference) * 1_000);

/** A number now and before. */
type Compared = { readonly now: number; readonly reference: number };

/** A percentage of fewer says nothing. */
const minPercentBase = 20;
const maxPercent = 300;

const decimals = (digits: number) => ({ minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Replaces the hyphen by a minus sign: a hyphen is shorter, and a line may break after it. */
const withMinus = (number: string) => number.replace('-', '−');

const instantOf = (day: Day) => Date.parse(`${day}T00:00:00Z`);

/** Drops the comma if there is only one: it clutters a subject. `Tuesday, December 30, 2025` keeps both. */
function formatDate(locale: string, options: Intl.DateTimeFormatOptions): (day: Day) => string {
  const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
  return (day) => format.format(instantOf(day)).replace(/^([^,،]*)[,،]([^,،]*)$/, '$1$2');
}

/** A range of days without the thin spaces around the dash; a single day if both are the same. */
function formatDays(locale: string, options: Intl.DateTimeFormatOptions): (from: Day, to: Day) => string {
  const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
  return (from, to) => format.formatRange(instantOf(from), instantOf(to)).replaceAll('\u2009', '');
}

/** `part / whole`, each of them exact; null if either is missing or `whole` is 0. */
export function rate(part: number | bigint | null, whole: number | bigint | null): number | null {
  if (part === null || whole === null) return null;
  return Number(whole) === 0 ? null : Number(part) / Number(whole);
}

/** The label of an account in a sentence. */
export const accountName = ({ label, account }: Pick<PeriodFigures, 'label' | 'account'>): string =>
  displayName(label, account);

const graphemes = new Intl.Segmenter('en');
/** Letters of a name in a sentence, and in a table on a phone. */
const maxNameLength = 80;
export const maxTitleLength = { campaign: 28, account: 36 } as const;

/**
 * Makes a name fit a sentence: one line, not too many letters, no marks that reverse the text after it.
 * The CSV has the full name.
 */
export function displayName(name: string | null, fallback = '', maxLength = maxNameLength): string {
  const line = (name ?? '')
    // Bounds the work of the following lines.
    .slice(0, 2_000)
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  if (line === '') return fallback;
  const letters = Array.from(graphemes.segment(line), ({ segment }) => segment);
  return letters.length > maxLength ? `${letters.slice(0, maxLength - 1).join('')}…` : line;
}

/** A name as its author typed it: some services send `Smith &amp; Caf&eacute;`, escaped for a page. The warehouse keeps that. */
export function unescapedName(name: string): string {
  return name.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z][a-z\d]{1,7}));/gi,
    (entity, decimal, hex, named) => {
      if (named !== undefined) return namedSign(named) ?? entity;
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code).toWellFormed() : entity;
    },
  );
}

/** The name of a campaign or client in a sentence. */
export const displayServiceName = (name: string | null, fallback?: string, maxLength?: number): string =>
  displayName(name === null ? null : unescapedName(name), fallback, maxLength);
