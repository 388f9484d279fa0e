import { type Period, periodBefore } from '../../model/period.ts';
import type { Format } from '../format.ts';

export type PeriodWords = {
  /** For the subject: `Thu 19 Nov`, `Week of 16 Nov`, `November 2026`. */
  readonly short: string;
  /** For the heading: `Thursday 19 November 2026`, `Week of 16–22 November 2026`, `November 2026`. */
  readonly long: string;
  /** After a change: `vs Wed`, `vs the week before`, `vs October`. */
  readonly vsBefore: string;
  readonly chart: (days: number) => string;
};

export function periodWords(period: Period, format: Format): PeriodWords {
  const { words } = format;
  const { from, to } = period;
  const before = periodBefore(period);
  switch (period.every) {
    case 'day':
      return {
        short: format.day(to),
        long: format.longDay(to),
        vsBefore: words.vsDay(format.weekday(before.to), format.longWeekday(before.to)),
        chart: (days) => words.tables.lastDays(format.count(days)),
      };
    case 'week':
      return {
        short: words.weekOf(format.days(from, from)),
        long: words.weekOf(format.longDays(from, to)),
        vsBefore: words.compared.vsWeek,
        chart: (days) => (days > 7 ? words.tables.twoWeeks : words.tables.dayByDay),
      };
    case 'month':
      return {
        short: format.monthYear(from),
        long: format.monthYear(from),
        vsBefore: words.vsMonth(format.longMonth(before.from)),
        chart: () => words.tables.dayByDay,
      };
  }
}
