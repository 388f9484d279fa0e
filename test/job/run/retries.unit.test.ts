import { describe, expect, it } from 'vitest';
import { isRetryAhead, mayHeal, nextRetry, retryUntil } from '../../../src/job/run/retries.ts';

const at = (time: string) => Temporal.Instant.from(`2026-11-21T${time}Z`);
const threeHours = 3 * 3_600_000;

/** When each run starts, if none of them takes any time. */
function starts(first: Temporal.Instant, until: Temporal.Instant): Temporal.Instant[] {
  const all = [first];
  for (;;) {
    const next = nextRetry(all.length, all.at(-1)!, until);
    if (next === null) return all;
    all.push(next);
  }
}

describe('the retries of a run', () => {
  it('follow after 1, 2, 5, 10 and then each 15 minutes, while the next delay ends within the time', () => {
    const until = retryUntil(at('06:30:00'), threeHours, null);
    const times = starts(at('06:30:00'), until).map((start) => start.toString().slice(11, 16));
    expect(times.slice(0, 7)).toEqual(['06:30', '06:31', '06:33', '06:38', '06:48', '07:03', '07:18']);
    expect(times.slice(-2)).toEqual(['09:03', '09:18']);
  });

  it('may begin at the very end of the time', () => {
    expect(nextRetry(5, at('09:15:00'), at('09:30:00'))).toEqual(at('09:30:00'));
    expect(nextRetry(5, at('09:15:01'), at('09:30:00'))).toBe(null);
  });

  it('end at the next scheduled time, if that comes first', () => {
    expect(retryUntil(at('06:30:00'), threeHours, at('07:30:00'))).toEqual(at('07:30:00'));
    expect(retryUntil(at('06:30:00'), threeHours, at('23:30:00'))).toEqual(at('09:30:00'));
  });

  it('are none without a time to retry in', () => {
    expect(nextRetry(1, at('06:30:00'), null)).toBe(null);
  });
});

it('a retry is ahead until ten minutes after its time', () => {
  const isAhead = (now: string) => isRetryAhead('2026-11-21 06:30:00+00', at(now));
  expect(['06:00:00', '06:30:00', '06:40:00', '06:40:01'].map(isAhead)).toEqual([true, true, true, false]);
  expect(isRetryAhead(null, at('06:00:00'))).toBe(false);
});

it.each([
  ['SERVICE_UNAVAILABLE', [true, true, true, true, true]],
  ['NOT_REQUESTED', [true, true, true, false, false]],
  ['TOKEN_REFUSED', [true, true, true, false, false]],
  ['CLIENT_LIST_REFUSED', [true, true, true, false, false]],
  ['REQUEST_REFUSED', [false, false, false, false, false]],
] as const)('after which of five runs the next one may heal %s: %s', (code, expected) => {
  expect([1, 2, 3, 4, 5].map((number) => mayHeal(code, number))).toEqual(expected);
});
