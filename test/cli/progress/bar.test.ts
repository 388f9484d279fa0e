import { describe, expect, test } from 'vitest';
import { barLine, createPace, type Pace, progressWords } from '../../../src/cli/progress/bar.ts';
import type { Progress } from '../../../src/model/run.ts';

const unknown = { perSecond: null, secondsLeft: null };
type Counted = Progress & { readonly total: number };
const progressBar = (progress: Counted, pace: Pace, columns: number) =>
  barLine(progress.total === 0 ? 1 : progress.done / progress.total, progressWords(progress, pace), columns);
const words = (progress: Counted, pace: Pace) => progressWords(progress, pace).join(', ').trimStart();

describe('the progress bar', () => {
  test('is one line that leaves the last column free, however narrow the terminal', () => {
    const much = { unit: 'window', total: 1_234_567, done: 1_000_000, failed: 999_999 };
    for (const pace of [
      unknown,
      { perSecond: 1e6, secondsLeft: 1e6 },
      { perSecond: 1e-6, secondsLeft: 1e-6 },
    ])
      for (let columns = 0; columns <= 250; columns++) {
        const line = progressBar(much, pace, columns);
        expect(line.length).toBeLessThanOrEqual(Math.max(0, columns - 1));
        expect(line).not.toMatch(/e[+-]\d|[\r\n]/);
      }
  });

  test('is empty at the start, and full when all is done and no sooner', () => {
    const of = (done: number) => progressBar({ unit: 'window', total: 1_095, done, failed: 0 }, unknown, 20);
    expect([0, 1_094, 1_095].map(of)).toEqual(['──────   0%', '━━━━━╾  99%', '━━━━━━ 100%']);
  });

  test('looks like this', () => {
    const halfway = { unit: 'window', total: 1_095, done: 235, failed: 1 };
    const steady = { perSecond: 55.4, secondsLeft: 15.5 };
    expect([100, 60, 30, 20].map((columns) => progressBar(halfway, steady, columns))).toEqual([
      '━━━━━━━──────────────────────────  21%    235 of 1,095 windows · 1 failed · 55 a second · 16 s left',
      '━━━━───────────────  21%    235 of 1,095 windows · 1 failed',
      '━╾───────  21%',
      '━─────  21%',
    ]);
  });
});

describe('the words beside it', () => {
  const of = (done: number, perSecond: number, secondsLeft: number, failed = 0) =>
    words({ unit: 'window', total: 3_650, done, failed }, { perSecond, secondsLeft });

  test('say how much is done, how quickly, and how long it will take in the two greatest units', () => {
    expect(words({ unit: 'window', total: 30, done: 0, failed: 0 }, unknown)).toBe('0 of 30 windows');
    expect(progressWords({ unit: 'client page', total: null, done: 1, failed: 0 }, unknown)).toEqual([
      '1 client page',
    ]);
    expect(of(120, 51.7, 68.2, 3)).toBe('120 of 3,650 windows, 3 failed, 52 a second, 1 min 9 s left');
    expect(of(1_200, 0.34, 7_205.3)).toBe('1,200 of 3,650 windows, 0.3 a second, 2 h left');
    expect(of(1_200, 9.96, 246)).toBe('1,200 of 3,650 windows, 10 a second, 4 min 6 s left');
    expect(of(3_600, 1_234.5, 0.04)).toBe('3,600 of 3,650 windows, 1,235 a second, 1 s left');
    expect(of(3_650, 1_234.5, 0)).toBe('3,650 of 3,650 windows, 1,235 a second');
  });
});

test('the pace is that of the last half minute, so that a slow hour of the service is soon over', () => {
  const pace = createPace();
  const total = 10_000;
  let done = 0;
  for (let second = 0; second <= 3_600; second++) pace.record({ total, done: ++done }, second * 1_000);
  expect(pace.of({ total, done }, 3_600_000).perSecond).toBeCloseTo(1, 1);
  for (let now = 3_600_020; now <= 3_640_000; now += 20) pace.record({ total, done: ++done }, now);
  expect(pace.of({ total, done }, 3_640_000).perSecond).toBeCloseTo(50, 0);
});
