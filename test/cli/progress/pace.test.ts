import { expect, test } from 'vitest';
import { createPace } from '../../../src/cli/progress/bar.ts';

const total = 10_000;
const at = (done: number) => ({ total, done });

/** Records one more every `everyMs`, from `from` to `to`. */
function record(
  pace: ReturnType<typeof createPace>,
  from: number,
  to: number,
  everyMs: number,
  done = 0,
): number {
  let count = done;
  for (let now = from; now <= to; now += everyMs) pace.record(at(++count), now);
  return count;
}

test('the pace is unknown until a second has passed, and while nothing was done since the first report', () => {
  const pace = createPace();
  const unknown = { perSecond: null, secondsLeft: null };
  expect(pace.of(at(0), 5_000)).toEqual(unknown);
  pace.record(at(1), 5_000);
  expect(pace.of(at(50), 5_999)).toEqual(unknown);
  expect(pace.of(at(1), 9_000)).toEqual(unknown);
  expect(pace.of(at(3), 7_000)).toEqual({ perSecond: 1, secondsLeft: total - 3 });
});

test('the pace is that of the last half minute, so that a slow hour of the service shows soon, and is soon over', () => {
  const pace = createPace();
  const slow = record(pace, 0, 3_600_000, 1_000);
  expect(pace.of(at(slow), 3_600_000).perSecond).toBeCloseTo(1, 1);
  const quick = record(pace, 3_600_020, 3_640_000, 20, slow);
  expect(pace.of(at(quick), 3_640_000).perSecond).toBeCloseTo(50, 0);
});

test('while no report arrives, the time left grows', () => {
  const pace = createPace();
  const done = record(pace, 0, 10_000, 100);
  const [soon, later] = [11_000, 60_000].map((now) => pace.of(at(done), now).secondsLeft!);
  expect(later).toBeGreaterThan(soon! * 4);
});
