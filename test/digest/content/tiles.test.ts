import { describe, expect, test } from 'vitest';
import { changeText } from '../../../src/digest/content/content.ts';
import { comparedNote, tiles } from '../../../src/digest/content/tiles.ts';
import { createFormat } from '../../../src/digest/format.ts';
import { daysOf, periodOf } from '../../../src/model/period.ts';
import { accountDay, accountTotals, figures, totalsOf } from '../figures.ts';

const format = createFormat('en-GB', 'UTC');

describe('the tiles', () => {
  const accounts = [totalsOf('north', 1_000)];

  test('show the connect rate first, with its change in points, then the counts', () => {
    const history = [
      accountDay('north', '2026-11-18', 800, 360),
      accountDay('north', '2026-11-12', 1_000, 520),
      accountDay('north', '2026-11-05', 3_000, 1_560),
    ];
    expect(
      tiles(figures({ accounts, history }), format).map(({ title, figure, note, changes }) => [
        ...[title, figure, note],
        ...changes.map(changeText),
      ]),
    ).toEqual([
      [
        'Connect rate',
        '50.0%',
        '500 of 1,000 attempts',
        '+5.0 points vs Wed',
        '−2.0 points vs a typical Thursday',
      ],
      ['Attempts', '1,000', '41 campaigns', '+25% vs Wed', '−50% vs a typical Thursday'],
      ['Live answers', '250', '25.0% of attempts', '+25% vs Wed', '−50% vs a typical Thursday'],
      ['Busies', '100', '10.0% of attempts', '+25% vs Wed', '−50% vs a typical Thursday'],
    ]);
  });

  const attemptsBy = (day: ReturnType<typeof accountDay>, now = accounts) =>
    tiles(figures({ accounts: now, history: [day] }), format)[1]!.changes[0]!.change;

  test('show no percentage of zero', () => {
    const idle = accountDay('north', '2026-11-18', 0);
    expect(attemptsBy(idle)).toBe('up from 0');
    expect(attemptsBy(idle, [totalsOf('north', 0)])).toBe('no change');
  });

  test('say that nothing changed where it is less than they show', () => {
    const before = accountDay('north', '2026-11-18', 1_004, 502);
    const [rate, attempts] = tiles(figures({ accounts, history: [before] }), format);
    expect(rate!.changes).toEqual([{ change: 'no change', comparedWith: 'vs Wed' }]);
    expect(attempts!.changes).toEqual([{ change: 'no change', comparedWith: 'vs Wed' }]);
  });

  test('show no change of a count that was not reported on both days', () => {
    const unreported = { ...accountDay('north', '2026-11-18', 800), attempts: null };
    const [, attempts, live] = tiles(figures({ accounts, history: [unreported] }), format);
    expect(attempts!.changes).toEqual([]);
    expect(live!.changes).toEqual([{ change: '+25%', comparedWith: 'vs Wed' }]);
  });

  test('say so of a count that was not reported, and of a rate without one', () => {
    const unreported = [accountTotals({ connects: null, liveAnswers: null })];
    const [rate, , live] = tiles(figures({ accounts: unreported }), format);
    expect(rate).toMatchObject({ figure: '–', note: 'not reported' });
    expect(live).toMatchObject({ figure: '–', note: 'not reported' });
  });

  test('leave out an account of which no expected day is loaded, but one before its first is', () => {
    const before = accountTotals({ account: 'coast', state: 'failed' });
    const week = (given: typeof accounts) =>
      tiles(figures({ period: periodOf('week', '2026-11-19'), accounts: given }), format);
    expect(week([...accounts, before])).toEqual(week(accounts));
  });

  test('have no share of attempts that were not reported', () => {
    const [, , live] = tiles(figures({ accounts: [accountTotals({ attempts: null })] }), format);
    expect(live).toEqual({ title: 'Live answers', figure: '4,992', note: null, changes: [] });
  });

  test('take a day without campaigns for one of zeros: nothing was left unreported', () => {
    const empty = { attempts: null, busies: null, connects: null, liveAnswers: null, campaigns: 0 };
    const before = { ...accountDay('north', '2026-11-18', 0), ...empty };
    expect(attemptsBy(before)).toBe('up from 0');
    expect(attemptsBy(before, [{ ...totalsOf('north', 0), ...empty }])).toBe('no change');
  });

  test('say which accounts are compared if not all are', () => {
    const both = [totalsOf('north', 1_000), totalsOf('coast', 10)];
    const weeks = ['2026-11-12', '2026-11-05'].map((day) => accountDay('north', day, 1));
    const before = ['north', 'coast'].map((account) => accountDay(account, '2026-11-18', 1));
    expect(comparedNote(figures({ accounts: both, history: [...before, ...weeks] }), format)).toBe(
      'Compared with that weekday in the four weeks before over 1 of 2 accounts: the others lack data.',
    );
    expect(comparedNote(figures({ accounts: both, history: before }), format)).toBe(
      'Not compared with that weekday in the four weeks before: too little is loaded.',
    );
    expect(comparedNote(figures({ accounts: both, history: [] }), format)).toBe(
      'Not compared with the earlier days: too little is loaded.',
    );
    const all = both.flatMap(({ account }) =>
      ['2026-11-12', '2026-11-05'].map((day) => accountDay(account, day, 1)),
    );
    expect(comparedNote(figures({ accounts: both, history: [...before, ...all] }), format)).toBeNull();
  });

  test('of a week and a month are beside the one before alone, as far as all of its days are loaded', () => {
    const tilesOf = (every: 'week' | 'month', locale: string, days: readonly string[]) => {
      const history = days.map((each) => accountDay('north', each, 100, 40));
      const own = figures({ accounts, history, period: periodOf(every, '2026-11-19') });
      const words = createFormat(locale, 'UTC');
      const [rate, attempts] = tiles(own, words);
      return {
        changes: [rate, attempts].map((tile) => tile!.changes.map(changeText)),
        note: comparedNote(own, words),
      };
    };
    const week = daysOf({ from: '2026-11-09', to: '2026-11-15' });
    expect(tilesOf('week', 'en-GB', week)).toEqual({
      changes: [['+10.0 points vs the week before'], ['+43% vs the week before']],
      note: null,
    });
    const october = daysOf({ from: '2026-10-01', to: '2026-10-31' });
    expect(tilesOf('month', 'en-GB', october).changes).toEqual([
      ['+10.0 points vs October'],
      ['−68% vs October'],
    ]);
    expect(tilesOf('month', 'es', october).changes[0]).toEqual(['+10,0 puntos frente a octubre']);
    expect(tilesOf('week', 'en-GB', week.slice(1))).toEqual({
      changes: [[], []],
      note: 'Not compared with the week before: too little is loaded.',
    });
  });
});
