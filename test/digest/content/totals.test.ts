import { describe, expect, test } from 'vitest';
import { lastDays, shownDays } from '../../../src/digest/content/totals.ts';
import { daysOf, periodOf } from '../../../src/model/period.ts';
import { accountDay, coverage, figures } from '../figures.ts';

test.each([
  ['day', '2026-11-19', '2026-11-06'],
  ['week', '2026-11-22', '2026-11-09'],
  ['month', '2026-11-30', '2026-11-01'],
] as const)('the chart of a %s shows the days up to %s, from %s on', (every, to, from) => {
  expect(shownDays(periodOf(every, '2026-11-19'))).toEqual(daysOf({ from, to }));
});

test.each([
  ['day', ['2026-11-19']],
  ['week', daysOf({ from: '2026-11-16', to: '2026-11-22' })],
  ['month', []],
] as const)('the days of a %s stand out in its chart where there are others: %j', (every, days) => {
  const period = periodOf(every, '2026-11-19');
  const history = daysOf({ from: '2026-11-01', to: period.to }).map((day) => accountDay('north', day, 1));
  const shown = lastDays(figures({ period, history }));
  expect(shown.filter(({ emphasised }) => emphasised).map(({ day }) => day)).toEqual(days);
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
