import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lastDays, withPeriodBefore, withTypicalWeekday } from '../../../src/digest/content/totals.ts';
import { accountDay, coverage, figures, totalsOf } from '../figures.ts';

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

describe('the last 14 days', () => {
  const history = [
    accountDay('north', '2026-11-19', 10),
    accountDay('coast', '2026-11-19', 5),
    accountDay('north', '2026-11-06', 1),
  ];

  test('end with the digest’s own, have gaps, and mark the days that an account lacks', () => {
    const days = lastDays(figures({ history, coverage: [coverage({ recentlyMissing: ['2026-11-06'] })] }));
    expect(days.map(({ day }) => day)).toEqual(
      Array.from({ length: 14 }, (_, index) => `2026-11-${String(index + 6).padStart(2, '0')}`),
    );
    expect(days.map(({ sums }) => sums?.attempts ?? null)).toEqual([1n, ...Array(12).fill(null), 15n]);
    expect(days.filter(({ incomplete }) => incomplete).map(({ day }) => day)).toEqual(['2026-11-06']);
  });

  test('begin with the first that is loaded: before, there was nothing to load', () => {
    const later = [accountDay('north', '2026-11-17', 1), ...history.filter(({ day }) => day > '2026-11-06')];
    expect(lastDays(figures({ history: later })).map(({ day }) => day)).toEqual([
      '2026-11-17',
      '2026-11-18',
      '2026-11-19',
    ]);
    expect(lastDays(figures({ history: [] }))).toEqual([]);
  });
});
