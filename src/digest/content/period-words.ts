import { type Period, periodBefore } from '../../model/period.ts';
import type { Format } from '../format.ts';

export type PeriodWords = {
  /** Its name in the subject: `Thu 19 Nov`, `week of 16 Nov`, `November 2026`. */
  readonly short: string;
  /** Its name in the heading: `Thursday 19 November 2026`, `week of 16–22 November 2026`, `November 2026`. */
  readonly long: string;
  /** The basis of comparison: `a typical Thursday`, `a typical week`, `October`. */
  readonly basis: string;
  /** Introduces all changes: `Compared with a typical Thursday`; a month is per day with calls. */
  readonly comparedWith: string;
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
        long: format.longDay(to),
        basis,
        comparedWith: words.compared.with(basis),
        chart: (days) => words.tables.lastDays(format.count(days)),
      };
    }
    case 'week':
      return {
        short: words.weekOf(format.days(from, from)),
        long: words.weekOf(format.longDays(from, to)),
        basis: words.basis.week,
        comparedWith: words.compared.with(words.basis.week),
        chart: (days) => (days > 7 ? words.tables.twoWeeks : words.tables.dayByDay),
      };
    case 'month': {
      const basis = format.longMonth(periodBefore(period).from);
      return {
        short: format.monthYear(from),
        long: format.monthYear(from),
        basis,
        comparedWith: words.compared.perDayWith(basis),
        chart: () => words.tables.dayByDay,
      };
    }
  }
}
