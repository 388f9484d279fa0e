import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withPeriodBefore, withTypicalWeekday } from '../../../src/digest/content/comparison.ts';
import { accountDay, figures, totalsOf } from '../figures.ts';

describe('the change against the day before', () => {
  const history = [accountDay('north', '2026-11-18', 800), accountDay('north', '2026-11-17', 1)];

  test('is that of the day before alone', () => {
    const compared = withPeriodBefore(figures({ accounts: [totalsOf('north', 1_000)], history }))!;
    expect(compared.changes.attempts).toEqual({ now: 1_000n, reference: 800 });
  });

  test('leaves out accounts that lack either day, so that a new or a missing one is no change', () => {
    const accounts = [
      totalsOf('north', 1_000),
      totalsOf('new', 5_000),
      { ...totalsOf('failed', 0), state: 'failed' as const },
    ];
    const compared = withPeriodBefore(
      figures({ accounts, history: [...history, accountDay('failed', '2026-11-18', 9_000)] }),
    )!;
    expect(compared).toMatchObject({
      accounts: 1,
      changes: { attempts: { now: 1_000n, reference: 800 } },
    });
  });

  test('of a count is over the accounts that report it both times', () => {
    const before = ['a', 'b', 'c'].map((account) => accountDay(account, '2026-11-18', 100, 40));
    const accounts = ['a', 'b', 'c'].map((account) => totalsOf(account, 200, 50));
    const given = figures({
      accounts: [{ ...accounts[0]!, attempts: null }, ...accounts.slice(1)],
      history: [before[0]!, { ...before[1]!, attempts: null }, before[2]!],
    });
    expect(withPeriodBefore(given)).toMatchObject({
      accounts: 3,
      changes: { attempts: { now: 200n, reference: 100 }, connects: { now: 150n, reference: 120 } },
    });
  });

  test('is left out if the day was not over: part of a day is no change', () => {
    const accounts = [{ ...totalsOf('north', 100), state: 'provisional' as const }];
    expect(withPeriodBefore(figures({ accounts, history }))).toBeNull();
  });
});

describe('the typical weekday', () => {
  const weeks = ['2026-11-12', '2026-11-05', '2026-10-29', '2026-10-22'];

  test('is the mean of the same weekday in the four weeks before', () => {
    const history = [
      ...weeks.map((day, index) => accountDay('north', day, 1_000 + 100 * index)),
      accountDay('north', '2026-11-11', 1),
      accountDay('north', '2026-10-15', 1),
    ];
    const compared = withTypicalWeekday(figures({ accounts: [totalsOf('north', 1_000)], history }))!;
    expect(compared.changes.attempts!.reference).toBe(1_150);
  });

  test('is the mean of those that are loaded, and none of a single one', () => {
    const accounts = [totalsOf('north', 1_000)];
    const loaded = (count: number) => weeks.slice(0, count).map((day) => accountDay('north', day, 600));
    expect(withTypicalWeekday(figures({ accounts, history: loaded(2) }))!.changes.attempts!.reference).toBe(
      600,
    );
    expect(withTypicalWeekday(figures({ accounts, history: loaded(1) }))).toBeNull();
  });

  test('of several accounts is the sum of their means, whichever weeks each has', () => {
    const days = fc.subarray(weeks, { minLength: 2 });
    fc.assert(
      fc.property(fc.array(days, { minLength: 1, maxLength: 4 }), (each) => {
        const accounts = each.map((_, index) => totalsOf(`a${index}`, 500));
        const history = each.flatMap((own, index) =>
          own.map((day) => accountDay(`a${index}`, day, 100 * (index + 1))),
        );
        const compared = withTypicalWeekday(figures({ accounts, history }))!;
        expect(compared.changes.attempts!.reference).toBeCloseTo(
          each.reduce((sum, _, index) => sum + 100 * (index + 1), 0),
        );
        expect(compared.accounts).toBe(each.length);
      }),
    );
  });
});

describe('the change of the connect rate', () => {
  test('is of all connects by all attempts, so that an account weighs as much as it calls', () => {
    const history = [accountDay('north', '2026-11-18', 900, 450), accountDay('coast', '2026-11-18', 100, 90)];
    const accounts = [totalsOf('north', 800, 480), totalsOf('coast', 200, 100)];
    expect(withPeriodBefore(figures({ accounts, history }))!.connectRate).toMatchObject({
      now: 0.58,
      reference: 0.54,
    });
  });

  test('leaves out accounts without a rate on either day, and is none where nobody has both', () => {
    const unreported = { part: null, attempts: null };
    const before = [
      accountDay('north', '2026-11-18', 100, 40),
      { ...accountDay('coast', '2026-11-18', 100), connectRate: unreported },
    ];
    const accounts = [totalsOf('north', 100, 50), totalsOf('coast', 900, 0)];
    expect(withPeriodBefore(figures({ accounts, history: before }))!.connectRate).toMatchObject({
      now: 0.5,
      reference: 0.4,
    });
    expect(withPeriodBefore(figures({ accounts, history: before.slice(1) }))!.connectRate).toBeNull();
  });

  test('is none where either day has no attempts', () => {
    const [idle, busy] = [0, 100].map((attempts) => accountDay('north', '2026-11-18', attempts));
    const rate = (attempts: number, before: typeof idle) =>
      withPeriodBefore(figures({ accounts: [totalsOf('north', attempts)], history: [before!] }))!.connectRate;
    expect(rate(100, busy)).toMatchObject({ now: 0.5, reference: 0.5 });
    expect(rate(100, idle)).toBeNull();
    expect(rate(0, busy)).toBeNull();
  });
});
