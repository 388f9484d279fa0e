import { expect, it } from 'vitest';
import { shownDays, toDateSpans } from '../../../src/digest/content/totals.ts';
import { periodOf } from '../../../src/model/period.ts';

it.each([
  ['2026-11-26', 'Thursday', ['2026-11-23', '2026-11-01']],
  ['2026-11-29', 'Sunday', ['2026-11-23', '2026-11-01']],
  ['2026-11-30', 'Monday', ['2026-11-01']],
  ['2026-12-01', 'first of a month', ['2026-11-30']],
])('to date on %s, a %s, is the week from Monday and the month', (day, _, expected) => {
  expect(toDateSpans(periodOf('day', day)).map(({ from }) => from)).toEqual(expected);
});

it.each([
  ['day', '2026-11-26', '2026-11-13', 14],
  ['week', '2026-11-22', '2026-11-09', 14],
  ['month', '2026-11-30', '2026-11-01', 30],
] as const)('the chart of a %s that ends on %s begins on %s: %i days', (every, last, first, days) => {
  const shown = shownDays(periodOf(every, last));
  expect([shown[0], shown.at(-1), shown.length]).toEqual([first, last, days]);
});
