import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lastDays, withDayBefore, withTypicalWeekday } from '../../src/digest/content/compare.ts';
import { comparedNote, tiles } from '../../src/digest/content/tiles.ts';
import { formatter } from '../../src/digest/format.ts';
import type { AccountDay } from '../../src/model/digest.ts';
import { accountTotals, coverage, figures } from './figures.ts';

const on = (account: string, day: string, attempts: number): AccountDay => ({
  account,
  day,
  attempts,
  busies: attempts / 10,
  connects: attempts / 2,
  liveAnswers: attempts / 4,
});
const totals = (account: string, attempts: number) =>
  accountTotals({ label: account, ...on(account, '', attempts) });
const format = formatter('en-GB', 'UTC');

describe('the change against the day before', () => {
  const history = [on('north', '2026-11-18', 800), on('north', '2026-11-17', 1)];

  test('is that of the day before alone', () => {
    const compared = withDayBefore(figures({ accounts: [totals('north', 1_000)], history }))!;
    expect([compared.now.attempts, compared.reference.attempts]).toEqual([1_000, 800]);
  });

  test('leaves out accounts that lack either day, so that a new or a missing one is no change', () => {
    const accounts = [
      totals('north', 1_000),
      totals('new', 5_000),
      { ...totals('failed', 0), state: 'failed' as const },
    ];
    const compared = withDayBefore(
      figures({ accounts, history: [...history, on('failed', '2026-11-18', 9_000)] }),
    )!;
    expect(compared).toMatchObject({ accounts: 1, now: { attempts: 1_000 }, reference: { attempts: 800 } });
  });

  test('isn’t told where the day was not over: a part of a day is no change', () => {
    const accounts = [{ ...totals('north', 100), state: 'provisional' as const }];
    expect(withDayBefore(figures({ accounts, history }))).toBeNull();
  });
});

describe('the usual weekday', () => {
  const weeks = ['2026-11-12', '2026-11-05', '2026-10-29', '2026-10-22'];

  test('is the mean of the same weekday in the four weeks before', () => {
    const history = [
      ...weeks.map((day, index) => on('north', day, 1_000 + 100 * index)),
      on('north', '2026-11-11', 1),
      on('north', '2026-10-15', 1),
    ];
    const compared = withTypicalWeekday(figures({ accounts: [totals('north', 1_000)], history }))!;
    expect(compared.reference.attempts).toBe(1_150);
  });

  test('is the mean of those that are loaded, and none of a single one', () => {
    const accounts = [totals('north', 1_000)];
    const loaded = (count: number) => weeks.slice(0, count).map((day) => on('north', day, 600));
    expect(withTypicalWeekday(figures({ accounts, history: loaded(2) }))!.reference.attempts).toBe(600);
    expect(withTypicalWeekday(figures({ accounts, history: loaded(1) }))).toBeNull();
  });

  test('of several accounts is the sum of their means, whichever weeks each has', () => {
    const days = fc.subarray(weeks, { minLength: 2 });
    fc.assert(
      fc.property(fc.array(days, { minLength: 1, maxLength: 4 }), (each) => {
        const accounts = each.map((_, index) => totals(`a${index}`, 500));
        const history = each.flatMap((own, index) =>
          own.map((day) => on(`a${index}`, day, 100 * (index + 1))),
        );
        const compared = withTypicalWeekday(figures({ accounts, history }))!;
        expect(compared.reference.attempts).toBeCloseTo(
          each.reduce((sum, _, index) => sum + 100 * (index + 1), 0),
        );
        expect(compared.accounts).toBe(each.length);
      }),
    );
  });
});

describe('the tiles', () => {
  const accounts = [totals('north', 1_000)];

  test('tell both changes of each count', () => {
    const history = [
      on('north', '2026-11-18', 800),
      on('north', '2026-11-12', 1_000),
      on('north', '2026-11-05', 3_000),
    ];
    expect(
      tiles(figures({ accounts, history }), format).map(({ title, figure, note, changes }) => [
        ...[title, figure, note],
        ...changes.map(({ by, on }) => `${by} ${on}`),
      ]),
    ).toEqual([
      ['Attempts', '1,000', '41 campaigns', '+25% on Wed 18 Nov', '-50% on the usual Thu'],
      ['Connects', '500', '50% of attempts', '+25% on Wed 18 Nov', '-50% on the usual Thu'],
      ['Live answers', '250', '25% of attempts', '+25% on Wed 18 Nov', '-50% on the usual Thu'],
      ['Busies', '100', '10% of attempts', '+25% on Wed 18 Nov', '-50% on the usual Thu'],
    ]);
  });

  test('name no percentage of nothing', () => {
    const history = [on('north', '2026-11-18', 0)];
    expect(tiles(figures({ accounts, history }), format)[0]!.changes[0]!.by).toBe('from 0');
    const idle = [totals('north', 0)];
    expect(tiles(figures({ accounts: idle, history }), format)[0]!.changes[0]!.by).toBe('0%');
  });

  test('say of whom they speak where that isn’t everybody', () => {
    const both = [totals('north', 1_000), totals('coast', 10)];
    const weeks = ['2026-11-12', '2026-11-05'].map((day) => on('north', day, 1));
    const before = ['north', 'coast'].map((account) => on(account, '2026-11-18', 1));
    expect(comparedNote(figures({ accounts: both, history: [...before, ...weeks] }))).toBe(
      'Compared with that weekday in the four weeks before: 1 of 2 accounts, those that have both.',
    );
    expect(comparedNote(figures({ accounts: both, history: before }))).toBe(
      'Not compared with that weekday in the four weeks before: too little is loaded.',
    );
    expect(comparedNote(figures({ accounts: both, history: [] }))).toBe(
      'Not compared with the earlier days: too little is loaded.',
    );
    const all = both.flatMap(({ account }) => ['2026-11-12', '2026-11-05'].map((day) => on(account, day, 1)));
    expect(comparedNote(figures({ accounts: both, history: [...before, ...all] }))).toBeNull();
  });
});

describe('the last 14 days', () => {
  const history = [on('north', '2026-11-19', 10), on('coast', '2026-11-19', 5), on('north', '2026-11-06', 1)];

  test('end with the digest’s own, have gaps, and mark the days that an account lacks', () => {
    const days = lastDays(figures({ history, coverage: [coverage({ recentlyMissing: ['2026-11-06'] })] }));
    expect(days.map(({ day }) => day)).toEqual(
      Array.from({ length: 14 }, (_, index) => `2026-11-${String(index + 6).padStart(2, '0')}`),
    );
    expect(days.map(({ sums }) => sums?.attempts ?? null)).toEqual([1, ...Array(12).fill(null), 15]);
    expect(days.filter(({ incomplete }) => incomplete).map(({ day }) => day)).toEqual(['2026-11-06']);
  });

  test('begin with the first that is loaded: before, there was nothing to load', () => {
    const later = [on('north', '2026-11-17', 1), ...history.filter(({ day }) => day > '2026-11-06')];
    expect(lastDays(figures({ history: later })).map(({ day }) => day)).toEqual([
      '2026-11-17',
      '2026-11-18',
      '2026-11-19',
    ]);
    expect(lastDays(figures({ history: [] }))).toEqual([]);
  });
});
