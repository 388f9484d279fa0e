import { describe, expect, it } from 'vitest';
import { isKnown } from '../../../src/job/windows/known.ts';
import type { Anomaly } from '../../../src/model/anomaly.ts';
import { addDays } from '../../../src/model/day.ts';
import type { EarlierDay } from '../../../src/model/window.ts';

const newest = '2026-03-20';
const announced = (number: number, listed: number): Anomaly => ({
  code: 'announced',
  announced: number,
  listed,
  known: false,
});
const oneMore = announced(10, 9);
const half = announced(10, 5);
const on = (dates: readonly string[], anomalies: readonly Anomaly[]) =>
  Object.fromEntries(anomalies.map(({ code }) => [code, dates]));
const earlier = (ago: number, anomalies: readonly Anomaly[], part: Partial<EarlierDay> = {}): EarlierDay => ({
  day: addDays(newest, -ago),
  isConfirmed: false,
  rows: 9,
  hasCalls: true,
  unreported: [],
  anomalies,
  runDates: on([addDays(newest, 1 - ago)], anomalies),
  ...part,
});
/** The last days, the newest first, of which the first so many have the anomaly. */
const days = (having: number, length: number, anomaly: Anomaly = oneMore) =>
  Array.from({ length }, (_, ago) => earlier(ago, ago < having ? [anomaly] : []));

describe('the way of a service is what more than half of its last 14 days with rows had', () => {
  it.each<[what: string, days: readonly EarlierDay[], known: boolean]>([
    ['one day, however often it came', days(1, 1), false],
    ['two days', days(2, 2), false],
    ['three days', days(3, 3), true],
    [
      'three days that came on one run date',
      days(3, 3).map((each) => ({ ...each, runDates: on([newest], [oneMore]) })),
      false,
    ],
    [
      'three days, all fetched again on the newest run date',
      days(3, 3).map((each) => ({ ...each, runDates: on([newest, addDays(newest, -1)], [oneMore]) })),
      true,
    ],
    ['seven of fourteen', days(7, 14), false],
    ['eight of fourteen', days(8, 14), true],
    ['seven of fourteen, and older ones', [...days(7, 14), ...days(20, 40).slice(14)], false],
    [
      'three, beside as many empty days',
      [
        ...days(3, 3),
        ...days(3, 8)
          .slice(3)
          .map((each) => ({ ...each, rows: 0 })),
      ],
      true,
    ],
  ])('%s', (_, some, known) => {
    expect(isKnown(oneMore, newest, some)).toBe(known);
  });
});

describe('a larger one than most of these days had', () => {
  const week = [half, half, half, half, half, half, half];
  it('is new, on the first day and for a bad week', () => {
    expect(isKnown(half, newest, days(14, 14))).toBe(false);
    const bad = [...week.map((each, ago) => earlier(ago, [each])), ...days(14, 21).slice(7)];
    for (const { day } of bad.slice(0, 7)) expect(isKnown(half, day, bad)).toBe(false);
    const few = [half, half, half, oneMore, oneMore].map((each, ago) => earlier(ago, [each]));
    expect(isKnown(half, newest, few), 'half of the others').toBe(false);
  });

  it('is known if a day a week away had it, too: less is listed at weekends', () => {
    const weekends = days(14, 14).map((each, ago) => (ago % 7 === 0 ? earlier(ago, [half]) : each));
    expect(isKnown(half, newest, weekends)).toBe(true);
  });

  it('is one that lists a smaller share and lacks more', () => {
    expect(isKnown(announced(4, 3), newest, days(14, 14)), 'one is missing, of a short list').toBe(true);
    expect(isKnown(announced(100, 90), newest, days(14, 14)), 'ten are missing, of a long one').toBe(true);
    expect(isKnown(announced(100, 89), newest, days(14, 14)), 'eleven are missing').toBe(false);
  });

  it('leaves out a further count', () => {
    const leaving = (...counts: ('busies' | 'connects')[]): Anomaly => ({
      code: 'unreported',
      counts,
      known: false,
    });
    const way = days(14, 14, leaving('busies'));
    expect(isKnown(leaving('busies'), newest, way)).toBe(true);
    expect(isKnown(leaving('connects'), newest, way)).toBe(false);
    expect(isKnown(leaving('busies', 'connects'), newest, way)).toBe(false);
  });

  it('has more campaigns whose counts can’t be read, and a larger share', () => {
    const odd = (campaigns: number, listed: number): Anomaly => ({
      code: 'unreadable_counts',
      campaigns,
      listed,
      known: false,
    });
    const way = days(14, 14, odd(1, 9));
    expect(isKnown(odd(1, 1), newest, way)).toBe(true);
    expect(isKnown(odd(2, 18), newest, way)).toBe(true);
    expect(isKnown(odd(2, 17), newest, way)).toBe(false);
  });
});

it.each<Anomaly>([
  { code: 'unreadable', records: 1, known: false },
  { code: 'no_list', text: 'HTTP 204', known: false },
  { code: 'no_calls', known: false },
  { code: 'same_campaigns', known: false },
])('$code is never the way of a service', (anomaly) => {
  expect(isKnown(anomaly, newest, days(14, 14, anomaly))).toBe(false);
});
