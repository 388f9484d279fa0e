import { expect, test } from 'vitest';
import { toCandidate } from '../../../src/job/windows/decide.ts';

const empty = {
  records: [],
  rejects: [],
  rejectCount: 0,
  rows: 0,
  counts: {},
  remarks: [],
  emptyBy: null,
};
const of = (day: string, timeZone = 'UTC') =>
  toCandidate(empty, {
    day,
    runDate: '2026-03-20',
    accepted: false,
    now: Temporal.Instant.from('2026-03-20T06:30:00Z'),
    timeZone,
    lookbackDays: 3,
    catchUpDays: 10,
  });

test.each<[day: string, isOver: boolean, isBeyondLookback: boolean, isOutsideCatchUp: boolean]>([
  ['2026-03-20', false, false, false],
  ['2026-03-19', true, false, false],
  ['2026-03-17', true, false, false],
  ['2026-03-16', true, true, false],
  ['2026-03-11', true, true, false],
  ['2026-03-10', true, true, true],
  ['2026-03-09', true, true, true],
])('a response of the 20th for %s: over %s, beyond look-back %s, the last chance %s', (day, ...expected) => {
  const { isOver, isBeyondLookback, isOutsideCatchUp } = of(day);
  expect([isOver, isBeyondLookback, isOutsideCatchUp]).toEqual(expected);
});

test('the zone of the account says which day is over', () => {
  expect(of('2026-03-19', 'Pacific/Honolulu').isOver).toBe(false);
});
