import { describe, expect, test } from 'vitest';
import { comparedNote, tiles } from '../../../src/digest/content/tiles.ts';
import { createFormat } from '../../../src/digest/format.ts';
import { accountDay, figures, totalsOf } from '../figures.ts';

const format = createFormat('en-GB', 'UTC');

describe('the tiles', () => {
  const accounts = [totalsOf('north', 1_000)];

  test('show both changes of each count', () => {
    const history = [
      accountDay('north', '2026-11-18', 800),
      accountDay('north', '2026-11-12', 1_000),
      accountDay('north', '2026-11-05', 3_000),
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

  test('show no percentage of zero', () => {
    const history = [accountDay('north', '2026-11-18', 0)];
    expect(tiles(figures({ accounts, history }), format)[0]!.changes[0]!.by).toBe('from 0');
    const idle = [totalsOf('north', 0)];
    expect(tiles(figures({ accounts: idle, history }), format)[0]!.changes[0]!.by).toBe('0%');
  });

  test('show no change of a count that was not reported on both days', () => {
    const unreported = { ...accountDay('north', '2026-11-18', 800), attempts: null };
    const [attempts, connects] = tiles(figures({ accounts, history: [unreported] }), format);
    expect(attempts!.changes).toEqual([]);
    expect(connects!.changes).toEqual([{ by: '+25%', on: 'on Wed 18 Nov' }]);
  });

  test('take a day without campaigns for one of zeros: nothing was left unreported', () => {
    const empty = { attempts: null, busies: null, connects: null, liveAnswers: null, campaigns: 0 };
    const history = [{ ...accountDay('north', '2026-11-18', 0), ...empty }];
    expect(tiles(figures({ accounts, history }), format)[0]!.changes[0]!.by).toBe('from 0');
    const today = [{ ...totalsOf('north', 0), ...empty }];
    expect(tiles(figures({ accounts: today, history }), format)[0]).toMatchObject({
      figure: '0',
      changes: [{ by: '0%' }],
    });
  });

  test('say which accounts are compared if not all are', () => {
    const both = [totalsOf('north', 1_000), totalsOf('coast', 10)];
    const weeks = ['2026-11-12', '2026-11-05'].map((day) => accountDay('north', day, 1));
    const before = ['north', 'coast'].map((account) => accountDay(account, '2026-11-18', 1));
    expect(comparedNote(figures({ accounts: both, history: [...before, ...weeks] }))).toBe(
      'Compared with that weekday in the four weeks before: 1 of 2 accounts, those that have both.',
    );
    expect(comparedNote(figures({ accounts: both, history: before }))).toBe(
      'Not compared with that weekday in the four weeks before: too little is loaded.',
    );
    expect(comparedNote(figures({ accounts: both, history: [] }))).toBe(
      'Not compared with the earlier days: too little is loaded.',
    );
    const all = both.flatMap(({ account }) =>
      ['2026-11-12', '2026-11-05'].map((day) => accountDay(account, day, 1)),
    );
    expect(comparedNote(figures({ accounts: both, history: [...before, ...all] }))).toBeNull();
  });
});
