import { describe, expect, test } from 'vitest';
import { areMinor, compare } from '../../../src/digest/content/comparison.ts';
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
  test('is compared with the mean of its weekday in the four weeks before, as far as these are confirmed', () => {
    const history = [
      accountDay('north', '2026-11-12', 1_000),
      accountDay('north', '2026-11-05', 1_200),
      { ...accountDay('north', '2026-10-29', 10), provisional: true },
      accountDay('north', '2026-11-18', 7),
      accountDay('north', '2026-10-15', 7),
    ];
    const change = compareDay([totalsOf('north', 1_000)], history)!.total!.counts.attempts;
    expect(change).toEqual({ now: 1_000, reference: 1_100, accounts: 1 });
    expect(compareDay([totalsOf('north', 1_000)], history.slice(1))).toBeNull();
  });

  test('is compared account by account, and in total only if that leaves out nobody who matters', () => {
    const accounts = [
      totalsOf('north', 1_000),
      totalsOf('new', 5_000),
      { ...totalsOf('failed', 0), state: 'missing' as const },
      { ...totalsOf('doubtful', 100), ...doubted(anomalies.announced) },
    ];
    const history = ['north', 'failed', 'doubtful'].flatMap((account) => typical(account, 800));
    const { total, accounts: each } = compareDay(accounts, history)!;
    expect(total).toBeNull();
    expect([...each.keys()]).toEqual(['north']);
    expect(each.get('north')!.counts.attempts).toEqual({ now: 1_000, reference: 800, accounts: 1 });
    const small = { ...totalsOf('doubtful', 100), ...doubted(anomalies.announced) };
    const among = compareDay(
      [totalsOf('north', 1_000), small],
      [...typical('north', 800), ...typical('doubtful', 40)],
    );
    expect(among!.total!.counts.attempts).toEqual({ now: 1_000, reference: 800, accounts: 1 });
    const large = [...typical('north', 800), ...typical('doubtful', 50)];
    expect(compareDay([totalsOf('north', 1_000), small], large)!.total).toBeNull();
  });

  test('has a rate over the same accounts on both sides: one that made no calls now counts before', () => {
    const idle = { ...totalsOf('coast', 0, 0), campaigns: 0 };
    const history = [...typical('north', 100, 50), ...typical('coast', 900, 810)];
    const { connectRate } = compareDay([totalsOf('north', 100, 50), idle], history)!.total!;
    expect(connectRate).toMatchObject({ now: 0.5, reference: 0.86, accounts: 2 });
  });

  test('has a rate without the accounts that report none, and says over how many it is', () => {
    const silent = { ...totalsOf('coast', 900, 0), rates: unknownRates };
    const history = [...typical('north', 100, 40), ...typical('coast', 900, 810)];
    const { connectRate } = compareDay([totalsOf('north', 100, 50), silent], history)!.total!;
    expect(connectRate).toMatchObject({ now: 0.5, reference: 0.4, accounts: 1 });
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

  test('of a week is compared with the mean of the four before, if two of them are whole', () => {
    const week = (ago: number, attempts: number) =>
      ofPeriod('week', addDays('2026-11-19', -7 * ago), () => attempts);
    const given = { period: periodOf('week', '2026-11-19'), accounts: [totalsOf('north', 7_000)] };
    const whole = compare(
      figures({ ...given, history: [...week(1, 1_100), ...week(2, 900), ...week(3, 50).slice(1)] }),
    );
    expect(whole!.total!.counts.attempts).toMatchObject({ now: 7_000, reference: 7_000 });
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
    const { counts } = compare(figures({ period, accounts, history }))!.total!;
    expect(counts.attempts).toEqual({ now: 1_100, reference: 1_000, accounts: 1 });
  });
});

describe('provisional accounts are minor', () => {
  const areMinorOf = (
    some: readonly AccountTotals[],
    history: readonly AccountDay[],
    others = [totalsOf('north', 1_000)],
    period = periodOf('day', '2026-11-19'),
  ) => areMinor(some, figures({ accounts: [...others, ...some], history, period }));
  const doubtful = (account: string) => ({ ...totalsOf(account, 7), ...doubted(anomalies.announced) });
  const [one, other] = [doubtful('one'), doubtful('other')];

  test.each([
    ['a little under 5%', 49, 951, true],
    ['5%', 50, 950, false],
    ['nearly all', 951, 49, false],
  ])('if they usually make %s of the attempts, whatever they made now', (_, own, others, isMinor) => {
    const history = [...typical('one', own), ...typical('north', others)];
    expect(areMinorOf([one], history)).toBe(isMinor);
    expect(areMinorOf([{ ...one, attempts: 0n }], history)).toBe(isMinor);
    expect(areMinorOf([{ ...one, attempts: 90_000n }], history)).toBe(isMinor);
  });

  test('only if all of them together are', () => {
    const history = [...typical('one', 30), ...typical('other', 30), ...typical('north', 1_000)];
    expect(areMinorOf([one], history)).toBe(true);
    expect(areMinorOf([one, other], history)).toBe(false);
  });

  test('only if the usual attempts of each are known: of a new account nobody knows', () => {
    const history = [...typical('one', 10), ...typical('north', 1_000)];
    expect(areMinorOf([one], history)).toBe(true);
    expect(areMinorOf([other], history)).toBe(false);
    expect(areMinorOf([one, other], history)).toBe(false);
    const unreported = typical('other', 10).map((day) => ({ ...day, attempts: null }));
    expect(areMinorOf([other], [...history, ...unreported])).toBe(false);
  });

  test.each([
    ['week', '2026-10-19', '2026-11-15'],
    ['month', '2026-10-01', '2026-10-31'],
  ] as const)('of a %s by whole periods before', (every, from, to) => {
    const days = (account: string, attempts: number) =>
      daysOf({ from, to }).map((day) => accountDay(account, day, attempts));
    const period = periodOf(every, '2026-11-19');
    const north = days('north', 1_000);
    expect(areMinorOf([one], [...days('one', 50), ...north], undefined, period)).toBe(true);
    expect(areMinorOf([one], [...days('one', 60), ...north], undefined, period)).toBe(false);
    // The comparison of a month has all of its days or none.
    const cut = days('one', 50).slice(every === 'month' ? 1 : 22);
    expect(areMinorOf([one], [...cut, ...north], undefined, period)).toBe(false);
  });

  test('never if there are none', () => {
    expect(areMinorOf([], typical('north', 1_000))).toBe(false);
  });
});
