import { type Period, periodBefore } from '../../model/period.ts';
import type { Format } from '../format.ts';

/** What a day, a week or a month is called, wherever a digest speaks of its own. */
export type PeriodWords = {
  readonly noun: 'day' | 'week' | 'month';
  /** For the subject: `Thu 19 Nov`, `Week of 16 Nov`, `November 2026`. */
  readonly short: string;
  /** For the heading: `Thursday 19 November 2026`, `Week of 16–22 November 2026`, `November 2026`. */
  readonly long: string;
  /** What it is compared with: `Wed 18 Nov`, `the week before`, `October`. */
  readonly before: string;
  /** Above the chart of so many days. */
  readonly chart: (days: number) => string;
};

export function periodWords(period: Period, format: Format): PeriodWords {
  const { from, to } = period;
  switch (period.every) {
    case 'day':
      return {
        noun: 'day',
        short: format.day(to),
        long: format.longDay(to),
        before: format.day(periodBefore(period).to),
        chart: (days) => `The last ${days} days`,
      };
    case 'week':
      return {
        noun: 'week',
        short: `Week of ${format.shortDay(from)}`,
        long: `Week of ${format.dates(from, to)}`,
        before: 'the week before',
        chart: (days) => (days > 7 ? 'This week and the one before' : 'This week'),
      };
    case 'month':
      return {
        noun: 'month',
        short: format.monthYear(from),
        long: format.monthYear(from),
        before: format.monthName(periodBefore(period).from),
        chart: () => 'Day by day',
      };
  }
}
