import { addDays, type Day } from '../../model/day.ts';
import type { AccountDay } from '../../model/digest.ts';
import type { Format } from '../format.ts';
import type { Row, Table } from './content.ts';
import type { Facts } from './facts.ts';
import { addUp, rateOf } from './totals.ts';

/** Sums of the week or month up to the digest's day, over the days of accounts that have their attempts. */
export type ToDate = {
  readonly period: 'week' | 'month';
  readonly from: Day;
  readonly attempts: number;
  readonly connectRate: number | null;
  /** Days that an account lacks. */
  readonly lackingDays: number;
  /** Other days on which figures of an account aren't confirmed yet. */
  readonly provisionalDays: number;
};

/** The week from Monday and the month. On its first day each is left out: it equals the day. Only days have them. */
export function toDate({ period, day, history, coverage }: Facts): ToDate[] {
  if (period.every !== 'day') return [];
  const monday = addDays(day, 1 - Temporal.PlainDate.from(day).dayOfWeek);
  const starts = [
    { period: 'week', from: monday },
    { period: 'month', from: `${day.slice(0, 8)}01` },
  ] as const;
  return starts
    .filter(({ from }) => from < day)
    .map((start) => {
      const days = history.filter((each) => each.day >= start.from && each.day <= day);
      const known = days.filter(({ attempts }) => attempts !== null);
      const since = (all: readonly Day[]) => all.filter((each) => each >= start.from);
      const lacking = new Set([...coverage.flatMap((each) => since(each.lacking)), ...unknownDays(days)]);
      const provisional = new Set(coverage.flatMap((each) => since(each.provisional)));
      return {
        ...start,
        ...sumsOf(known),
        lackingDays: lacking.size,
        provisionalDays: provisional.difference(lacking).size,
      };
    });
}

const unknownDays = (days: readonly AccountDay[]) =>
  days.filter(({ attempts }) => attempts === null).map(({ day }) => day);

function sumsOf(days: readonly AccountDay[]) {
  return {
    attempts: addUp(days).attempts ?? 0,
    connectRate: rateOf(days.map(({ connectRate }) => connectRate)),
  };
}

/** Null for a weekly or monthly digest, and on a Monday the 1st. */
export function toDateTable(facts: Facts, format: Format): Table | null {
  const { tables } = format.words;
  const rows = toDate(facts).map((each) => toDateRow(each, facts.day, format));
  if (rows.length === 0) return null;
  return {
    heading: tables.toDate,
    note: null,
    columns: [tables.columns.period, tables.columns.attempts, tables.columns.connected],
    rows,
  };
}

function toDateRow(
  { period, from, attempts, connectRate, lackingDays, provisionalDays }: ToDate,
  to: Day,
  format: Format,
): Row {
  const { words } = format;
  const marks = [
    lackingDays === 0 ? null : words.lackingDays(format.countOf(lackingDays, words.days)),
    provisionalDays === 0 ? null : words.provisionalDays(format.countOf(provisionalDays, words.days)),
  ];
  return {
    title: period === 'week' ? words.tables.weekToDate : words.tables.monthToDate,
    under: [format.days(from, to), ...marks.filter((mark) => mark !== null)].join(', '),
    cells: [format.count(attempts), format.rate(connectRate)],
  };
}
