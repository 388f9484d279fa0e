import { describe, expect, test } from 'vitest';
import { compare, markingAccounts } from '../../../src/digest/content/comparison.ts';
import { addDays } from '../../../src/model/day.ts';
import type { AccountTotals } from '../../../src/model/digest.ts';
import { daysOf, type Every, periodOf } from '../../../src/model/period.ts';
import { type AccountDay, accountDay, anomalies, doubted, figures, totalsOf } from '../figures.ts';

const weeks = ['2026-11-12', '2026-11-05', '2026-10-29', '2026-10-22'];
const compareDay = (accounts: readonly AccountTotals[], history: readonly AccountDay[]) =>
  compare(figures({ accounts, history }));
const typical = (account: string, attempts: number, connects?: number) =>
  weeks.map((day) => accountDay(account, day, attempts, connects));

describe('a day', () => {
  test('is compared with its weekdays before, as far as these are confirmed', () => {
    const history = [
      accountDay('north', '2026-11-12', 1_000),
      accountDay('north', '2026-11-05', 1_200),
      { ...accountDay('north', '2026-10-29', 10), provisional: true },
      accountDay('north', '2026-11-18', 7),
      accountDay('north', '2026-10-15', 7),
    ];
    const change = compareDay([totalsOf('north', 1_000)], history.slice(0, 4))!.total.counts.attempts;
    expect(change).toEqual({ now: 1_000, reference: 1_100 });
    expect(compareDay([totalsOf('north', 1_000)], history.slice(1, 4))).toBeNull();
  });

  test('is compared account by account, and in sum without those that it names', () => {
    const accounts = [
      totalsOf('north', 1_000),
      totalsOf('new', 5_000),
      { ...totalsOf('failed', 0), state: 'missing' as const },
      { ...totalsOf('doubtful', 100), ...doubted(anomalies.announced) },
    ];
    const history = ['north', 'failed', 'doubtful'].flatMap((account) => typical(account, 800));
    const { total, accounts: each, leftOut } = compareDay(accounts, history)!;
    expect(total.counts.attempts).toEqual({ now: 1_000, reference: 800 });
    expect([...each.keys()]).toEqual(['north']);
    expect(leftOut.map(({ account }) => account)).toEqual(['new', 'failed', 'doubtful']);
  });

  test('has a rate over the same accounts on both sides: one that made no calls now counts before', () => {
    const idle = { ...totalsOf('coast', 0, 0), campaigns: 0 };
    const history = [...typical('north', 100, 50), ...typical('coast', 900, 810)];
    const { connectRate } = compareDay([totalsOf('north', 100, 50), idle], history)!.total;
    expect(connectRate).toMatchObject({ now: 0.5, reference: 0.86 });
  });

  test('has a rate without the accounts that report none', () => {
    const silent = { ...totalsOf('coast', 900, 0), rates: unknownRates };
    const history = [...typical('north', 100, 40), ...typical('coast', 900, 810)];
    const { connectRate } = compareDay([totalsOf('north', 100, 50), silent], history)!.total;
    expect(connectRate).toMatchObject({ now: 0.5, reference: 0.4 });
  });
});

const unknownRates = {
  connects: { part: null, attempts: null },
  liveAnswers: { part: null, attempts: null },
  busies: { part: null, attempts: null },
};

describe('a longer period', () => {
  const ofPeriod = (every: Every, day: string, attempts: (day: string) => number) =>
    daysOf(periodOf(every, day)).map((each) => accountDay('north', each, attempts(each)));

  test('of a week is compared with weeks before, if two of them are whole', () => {
    const week = (ago: number, attempts: number) =>
      ofPeriod('week', addDays('2026-11-19', -7 * ago), () => attempts);
    const given = { period: periodOf('week', '2026-11-19'), accounts: [totalsOf('north', 7_000)] };
    const whole = compare(
      figures({ ...given, history: [...week(1, 1_100), ...week(2, 900), ...week(3, 50).slice(1)] }),
    );
    expect(whole!.total.counts.attempts).toMatchObject({ now: 7_000, reference: 7_000 });
    expect(compare(figures({ ...given, history: week(1, 1_100) }))).toBeNull();
  });

  test('of a month is compared per day with calls: months have more or fewer working days', () => {
    const workdays = (most: number, attempts: number) => (day: string) =>
      Number(day.slice(8)) <= most ? attempts : 0;
    const period = periodOf('month', '2026-11-30');
    const history = [
      ...ofPeriod('month', '2026-10-31', workdays(22, 1_000)),
      ...ofPeriod('month', '2026-11-30', workdays(20, 1_100)),
    ];
    const callingDays = daysOf(period).filter((day) => Number(day.slice(8)) <= 20);
    const accounts = [{ ...totalsOf('north', 22_000), callingDays }];
    const { counts } = compare(figures({ period, accounts, history }))!.total;
    expect(counts.attempts).toEqual({ now: 22_000, reference: 20_000 });
  });
});

describe('accounts that are provisional or not loaded mark a digest', () => {
  const doubtful = (account: string) => ({ ...totalsOf(account, 7), ...doubted(anomalies.announced) });
  const missing = (account: string) => ({ ...totalsOf(account, 0), state: 'missing' as const });
  const markedBy = (
    some: readonly AccountTotals[],
    history: readonly AccountDay[],
    others = [totalsOf('north', 1_000)],
    period = periodOf('day', '2026-11-19'),
  ) =>
    markingAccounts(figures({ accounts: [...others, ...some], history, period })).map(
      ({ account }) => account,
    );

  test.each([
    ['a little under 5%', 49, 951, []],
    ['5%', 50, 950, ['one']],
    ['nearly all', 951, 49, ['one']],
  ])('if they typically make %s of the attempts, whatever they made now', (_, own, others, marking) => {
    const history = [...typical('one', own), ...typical('north', others)];
    const one = doubtful('one');
    expect(markedBy([one], history)).toEqual(marking);
    expect(markedBy([{ ...one, attempts: 0n }], history)).toEqual(marking);
    expect(markedBy([{ ...one, attempts: 90_000n }], history)).toEqual(marking);
    expect(markedBy([missing('one')], history)).toEqual(marking);
  });

  test('all together', () => {
    const history = [...typical('one', 30), ...typical('other', 30), ...typical('north', 1_000)];
    expect(markedBy([doubtful('one')], history)).toEqual([]);
    expect(markedBy([doubtful('one'), missing('other')], history)).toEqual(['one', 'other']);
  });

  test('but for new ones, of which nothing is typical', () => {
    const history = [...typical('one', 500), ...typical('north', 500)];
    expect(markedBy([doubtful('new'), missing('newer')], typical('north', 1_000))).toEqual([]);
    expect(markedBy([doubtful('one'), doubtful('new')], history)).toEqual(['one']);
  });

  test('in any case if nothing is typical of any, or there is no other', () => {
    expect(markedBy([doubtful('new')], [])).toEqual(['new']);
    expect(markedBy([doubtful('one')], [], [])).toEqual(['one']);
  });

  test.each([
    ['week', '2026-10-19', '2026-11-15'],
    ['month', '2026-10-01', '2026-10-31'],
  ] as const)('of a %s by whole periods before', (every, from, to) => {
    const days = (account: string, attempts: number) =>
      daysOf({ from, to }).map((day) => accountDay(account, day, attempts));
    const period = periodOf(every, '2026-11-19');
    const north = days('north', 1_000);
    expect(markedBy([missing('one')], [...days('one', 50), ...north], undefined, period)).toEqual([]);
    expect(markedBy([missing('one')], [...days('one', 60), ...north], undefined, period)).toEqual(['one']);
  });
});
