import { addDays, type Day } from '../../model/day.ts';
import type { AccountDay, DigestFigures } from '../../model/digest.ts';
import type { Format } from '../format.ts';
import type { Row, Table } from './content.ts';
import { addUp, exactSums, rateOf } from './totals.ts';

type Span = { readonly from: Day; readonly to: Day };

/** Sums of the week or month up to the digest's day, over the accounts whose attempts are known for each day. */
export type ToDate = {
  readonly period: 'week' | 'month';
  readonly span: Span;
  /** The same days one week or month earlier; the whole month if it is shorter than `span`. */
  readonly before: Span;
  readonly accounts: number;
  readonly attempts: bigint;
  readonly connectRate: number | null;
  /** Over the accounts whose attempts are known for `before`, too; null if there are none. */
  readonly attemptsChange: { readonly now: number; readonly reference: number } | null;
  readonly rateChange: { readonly now: number; readonly reference: number } | null;
};

/**
 * Returns the week from Monday and the month. On its first day each is left out: it equals the day. Only daily
 * digests have them.
 */
export function toDate(figures: DigestFigures): ToDate[] {
  if (figures.period.every !== 'day') return [];
  return [week(figures.day), month(figures.day)]
    .filter(({ span }) => span.from < span.to)
    .map((each) => sumOf(each, figures))
    .filter((each) => each !== null);
}

type Period = Pick<ToDate, 'period' | 'span' | 'before'>;

function week(day: Day): Period {
  const monday = addDays(day, 1 - Temporal.PlainDate.from(day).dayOfWeek);
  return {
    period: 'week',
    span: { from: monday, to: day },
    before: { from: addDays(monday, -7), to: addDays(day, -7) },
  };
}

function month(day: Day): Period {
  const to = Temporal.PlainDate.from(day);
  // The last day if the month before is shorter.
  const before = to.subtract({ months: 1 });
  const first = (date: Temporal.PlainDate) => date.with({ day: 1 }).toString();
  return {
    period: 'month',
    span: { from: first(to), to: day },
    before: { from: first(before), to: before.toString() },
  };
}

function sumOf(period: Period, { accounts, history }: DigestFigures): ToDate | null {
  const daysOf = (account: string, { from, to }: Span) =>
    history.filter((one) => one.account === account && one.day >= from && one.day <= to);
  const complete = accounts
    .filter(({ state }) => state === 'loaded')
    .map(({ account }) => ({ now: daysOf(account, period.span), before: daysOf(account, period.before) }))
    .filter(({ now }) => isWhole(now, period.span));
  if (complete.length === 0) return null;
  const now = complete.flatMap((account) => account.now);
  const compared = complete.filter(({ before }) => isWhole(before, period.before));
  return {
    ...period,
    accounts: complete.length,
    attempts: attemptsOf(now),
    connectRate: connectRateOf(now),
    ...changes(
      compared.flatMap((account) => account.now),
      compared.flatMap((account) => account.before),
    ),
  };
}

function isWhole(days: readonly AccountDay[], { from, to }: Span): boolean {
  const length = Temporal.PlainDate.from(from).until(to).days + 1;
  return days.filter((day) => exactSums(day).attempts !== null).length === length;
}

function changes(now: readonly AccountDay[], before: readonly AccountDay[]) {
  if (now.length === 0) return { attemptsChange: null, rateChange: null };
  const [rateNow, rateBefore] = [connectRateOf(now), connectRateOf(before)];
  return {
    attemptsChange: { now: Number(attemptsOf(now)), reference: Number(attemptsOf(before)) },
    rateChange: rateNow === null || rateBefore === null ? null : { now: rateNow, reference: rateBefore },
  };
}

const attemptsOf = (days: readonly AccountDay[]) => addUp(days).attempts ?? 0n;
const connectRateOf = (days: readonly AccountDay[]) => rateOf(days.map(({ connectRate }) => connectRate));

/** Null for a weekly or monthly digest, on a Monday the 1st, or if no account has all days. */
export function toDateTable(figures: DigestFigures, format: Format): Table | null {
  const { tables } = format.words;
  const rows = toDate(figures).map((each) => toDateRow(each, figures.accounts.length, format));
  if (rows.length === 0) return null;
  return {
    heading: tables.toDate,
    note: null,
    columns: [tables.columns.period, tables.columns.attempts, tables.columns.connected],
    rows,
  };
}

function toDateRow(sums: ToDate, allAccounts: number, format: Format): Row {
  const { words } = format;
  const [span, before] = [
    format.days(sums.span.from, sums.span.to),
    format.days(sums.before.from, sums.before.to),
  ];
  const days = sums.attemptsChange === null ? span : words.vsDays(span, before);
  const some = words.someOf(format.count(sums.accounts), format.countOf(allAccounts, words.accounts));
  return {
    title: sums.period === 'week' ? words.tables.weekToDate : words.tables.monthToDate,
    under: sums.accounts === allAccounts ? days : `${days}, ${some}`,
    cells: [format.count(sums.attempts), format.rate(sums.connectRate)],
    changes: [
      sums.attemptsChange === null ? null : format.change(sums.attemptsChange),
      sums.rateChange === null ? null : format.points(sums.rateChange),
    ],
  };
}
