import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isLastAttempt,
  nextAttempt,
  retriedFailures,
  retryUntil,
  unfinishedState,
} from '../../src/planning/retry-attempts.ts';

const at = (time: string) => Temporal.Instant.from(`2026-11-21T${time}Z`);
const threeHours = 3 * 3_600_000;

/** When each attempt starts, where none of them takes any time. */
function starts(first: Temporal.Instant, until: Temporal.Instant): Temporal.Instant[] {
  const all = [first];
  while (!isLastAttempt(all.at(-1)!, until))
    all.push(nextAttempt({ attempts: all.length, now: all.at(-1)!, until }));
  return all;
}

describe('the attempts of a run', () => {
  it('follow after 1, 2, 5, 10 and then each 15 minutes, and the last one when the time is over', () => {
    const until = retryUntil({ firstStart: at('06:30:00'), retryForMs: threeHours, nextScheduled: null });
    const times = starts(at('06:30:00'), until).map((start) => start.toString().slice(11, 16));
    expect(times.slice(0, 7)).toEqual(['06:30', '06:31', '06:33', '06:38', '06:48', '07:03', '07:18']);
    expect(times.slice(-2)).toEqual(['09:18', '09:30']);
  });

  it('end at the next scheduled time, where that comes first', () => {
    const firstStart = at('06:30:00');
    const input = { firstStart, retryForMs: threeHours };
    expect(retryUntil({ ...input, nextScheduled: at('07:30:00') })).toEqual(at('07:30:00'));
    expect(retryUntil({ ...input, nextScheduled: at('23:30:00') })).toEqual(at('09:30:00'));
  });

  it('are one without a time to retry in', () => {
    expect(isLastAttempt(at('06:30:00'), null)).toBe(true);
  });

  it('never start after the time is over, never twice at once, and always end', () => {
    const minutes = fc.integer({ min: 0, max: 2_000 });
    fc.assert(
      fc.property(minutes, minutes, (retryMinutes, gap) => {
        const firstStart = at('06:30:00');
        const nextScheduled = firstStart.add({ minutes: gap + 1 });
        const until = retryUntil({ firstStart, retryForMs: retryMinutes * 60_000, nextScheduled });
        const all = starts(firstStart, until).map(({ epochMilliseconds }) => epochMilliseconds);
        const rising = all.every((start, index) => index === 0 || start > all[index - 1]!);
        return rising && all.at(-1) === Math.max(until.epochMilliseconds, all[0]!);
      }),
    );
  });
});

describe('a run without an outcome', () => {
  it('is in progress while it is at work, and else was killed', () => {
    const state = (atWork: boolean) => unfinishedState({ retryAt: null, atWork }, at('06:30:00'));
    expect([true, false].map(state)).toEqual(['in progress', 'killed']);
  });

  it('waits for its next attempt, and for ten minutes after the time of that', () => {
    const state = (now: string) =>
      unfinishedState({ retryAt: '2026-11-21 06:30:00+00', atWork: false }, at(now));
    expect(['06:00:00', '06:30:00', '06:40:00', '06:40:01'].map(state)).toEqual([
      'waiting',
      'waiting',
      'waiting',
      'killed',
    ]);
  });
});

describe('what is retried', () => {
  it.each([
    ['SERVICE_UNAVAILABLE', true],
    ['INVALID_RESPONSE', true],
    ['TOKEN_REFUSED', false],
    ['REQUEST_REFUSED', false],
    ['WALK_INCOMPLETE', false],
  ] as const)('of an error that is "%s": %s', (code, expected) => {
    const failures = [{ code, account: 'north' }];
    const input = { failures, accounts: ['north'], tokenMayChange: () => false };
    expect(retriedFailures(input)).toEqual(expected ? failures : []);
  });

  it('is a refused token whose source is a file, and nothing of an account that left the settings', () => {
    const failures = [
      { code: 'TOKEN_REFUSED', account: 'north' } as const,
      { code: 'TOKEN_REFUSED', account: 'coast' } as const,
      { code: 'REQUEST_REFUSED', account: 'coast' } as const,
      { code: 'SERVICE_UNAVAILABLE', account: 'gone' } as const,
    ];
    const accounts = ['north', 'coast'];
    const tokenMayChange = (account: string) => account === 'coast';
    expect(retriedFailures({ failures, accounts, tokenMayChange })).toEqual([failures[1]]);
  });
});
