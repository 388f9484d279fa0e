import { type Period, periodBefore } from '../../model/period.ts';
import type { Format } from '../format.ts';

export type PeriodWords = {
  /** For the subject: `Thu 19 Nov`, `Week of 16 Nov`, `November 2026`. */
  readonly short: string;
  /** For the heading: `Thursday 19 November 2026`, `Week of 16–22 November 2026`, `November 2026`. */
  readonly long: string;
  /** What the period is compared with: `a typical Thursday`, `the four weeks before`, `October`. */
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
        long: format.longDay(to),
        basis,
        vs: words.vs(basis),
        chart: (days) => words.tables.lastDays(format.count(days)),
      };
    }
    case 'week':
      return {
        short: words.weekOf(format.days(from, from)),
        long: words.weekOf(format.longDays(from, to)),
        basis: words.basis.fourWeeks,
        vs: words.vs(words.basis.fourWeeks),
        chart: (days) => (days > 7 ? words.tables.twoWeeks : words.tables.dayByDay),
      };
    case 'month': {
      const basis = format.longMonth(periodBefore(period).from);
      return {
        short: format.monthYear(from),
        long: format.monthYear(from),
        basis,
        vs: words.perDayVs(basis),
        chart: () => words.tables.dayByDay,
      };
    }
  }
}
