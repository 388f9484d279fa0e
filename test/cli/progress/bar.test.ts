import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { barLine, createPace, type Pace, progressWords } from '../../../src/cli/progress/bar.ts';
import type { Progress } from '../../../src/model/run.ts';

const unknown = { perSecond: null, secondsLeft: null };
const progress = fc
  .tuple(
    fc.nat(100_000),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
  )
  .map(([total, share, failing]) => {
    const done = Math.floor(total * share);
    return { unit: 'window', total, done, failed: Math.floor(done * failing) };
  });
const positive = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
const pace = fc.option(fc.record({ perSecond: positive, secondsLeft: positive }), { nil: unknown });

type Counted = Progress & { readonly total: number };
const progressBar = (progress: Counted, pace: Pace, columns: number) =>
  barLine(progress.total === 0 ? 1 : progress.done / progress.total, progressWords(progress, pace), columns);
const words = (progress: Counted, pace: Pace) => progressWords(progress, pace).join(', ').trimStart();

/** How much of the bar is filled, in halves. */
const filled = (line: string) => 2 * line.split('━').length - 2 + (line.includes('╾') ? 1 : 0);
const percent = (line: string) => Number(/(\d+)%/.exec(line)![1]);

describe('the progress bar', () => {
  test('is one line that leaves the last column free, however narrow the terminal, with numbers only', () => {
    fc.assert(
      fc.property(progress, pace, fc.integer({ min: 0, max: 250 }), (progress, pace, columns) => {
        const line = progressBar(progress, pace, columns);
        expect(line.length).toBeLessThanOrEqual(Math.max(0, columns - 1));
        expect(line).not.toMatch(/NaN|Infinity|undefined|null|e[+-]\d|[\r\n]/);
      }),
    );
  });

  test('grows with what is done, is empty at the start, and full when all is done and no sooner', () => {
    fc.assert(
      fc.property(progress, fc.nat(1_000), fc.integer({ min: 20, max: 200 }), (earlier, more, columns) => {
        const { total } = earlier;
        const later = { ...earlier, done: Math.min(total, earlier.done + more) };
        const [before, after] = [earlier, later].map((each) => progressBar(each, unknown, columns));
        expect(filled(after!)).toBeGreaterThanOrEqual(filled(before!));
        expect(percent(after!)).toBeGreaterThanOrEqual(percent(before!));
        expect(percent(after!) === 100).toBe(later.done === total);
        expect(!after!.includes('─') && !after!.includes('╾')).toBe(later.done === total);
        const start = progressBar({ unit: 'window', total: total + 1, done: 0, failed: 0 }, unknown, columns);
        expect([filled(start), percent(start)]).toEqual([0, 0]);
      }),
    );
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
