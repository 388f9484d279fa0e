import { type Period, periodBefore } from '../../model/period.ts';
import type { Change } from '../blocks.ts';
import type { Format } from '../format.ts';

export type PeriodWords = {
  /** Its name in the subject: `Thu 19 Nov`, `Week of 16 Nov`, `November 2026`. */
  readonly short: string;
  /** Its name in the heading: `Thursday 19 November 2026`, `Week of 16–22 November 2026`, `November 2026`. */
  readonly long: string;
  /** Its name next to others: `Thursday`, `Week of 16 Nov`, `November 2026`. */
  readonly name: string;
  /** The basis of comparison: `a typical Thursday`, `a typical week`, `October`. */
  readonly basis: string;
  /** After a change of a count, which a month has per day with calls. */
  readonly vs: string;
  readonly chart: (days: number) => string;
};

export function periodWords(period: Period, format: Format): PeriodWords {
  const { words } = format;
  const { every, from, to } = period;
  switch (every) {
    case 'day': {
      const basis = words.basis.typical(format.longWeekday(to));
      return {
        short: format.day(to),
        name: format.longWeekday(to),
        long: format.longDay(to),
        basis,
        vs: words.vs(basis),
        chart: (days) => words.tables.lastDays(format.count(days)),
      };
    }
    case 'week':
      return {
        short: words.weekOf(format.days(from, from)),
        name: words.weekOf(format.days(from, from)),
        long: words.weekOf(format.longDays(from, to)),
        basis: words.basis.week,
        vs: words.vs(words.basis.week),
        chart: (days) => (days > 7 ? words.tables.twoWeeks : words.tables.dayByDay),
      };
    case 'month': {
      const basis = format.longMonth(periodBefore(period).from);
      return {
        short: format.monthYear(from),
        name: format.monthYear(from),
        long: format.monthYear(from),
        basis,
        vs: words.perDayVs(basis),
        chart: () => words.tables.dayByDay,
      };
    }
  }
}

/** A change next to its figure: `+4% vs a typical Thursday`, or `typically 12` if a percentage would say nothing. */
export function changeOf(
  change: { readonly now: number; readonly reference: number } | null,
  period: Period,
  format: Format,
): Change | null {
  if (change === null) return null;
  const percent = format.percent(change);
  if (percent !== null) return { change: percent, comparedWith: periodWords(period, format).vs };
  const typically = format.words.typically[period.every];
  return { change: `${typically} ${format.count(Math.round(change.reference))}`, comparedWith: '' };
}
