import { describe, expect, it } from 'vitest';
import { decideRun } from '../../src/job/retried-runs.ts';
import type { ScheduledRun } from '../../src/model/run.ts';

const scheduledFor = Temporal.Instant.from('2026-11-21T06:30:00Z');
const now = Temporal.Instant.from('2026-11-21T06:35:00Z');

type Newest = NonNullable<ScheduledRun['newest']>;

const known = (what: Partial<ScheduledRun>): ScheduledRun => ({
  installedAt: '2026-11-01 12:00:00+00',
  newest: null,
  lockHeld: false,
  ...what,
});

const newest = (
  outcome: Newest['outcome'],
  retryAt: string | null = null,
  changes: Partial<Newest> = {},
): Newest => ({
  number: 2,
  runDate: '2026-11-21',
  retryUntil: '2026-11-21 09:30:00+00',
  retryAt: retryAt && `2026-11-21 ${retryAt}+00`,
  outcome,
  exitCode: 75,
  isOlderThanSettings: true,
  ...changes,
});

const refused = (changes: Partial<Newest> = {}) => newest('partial', null, { exitCode: 77, ...changes });

describe('a scheduled time that has come', () => {
  it.each([
    ['has no run', null, false, 'start'],
    ['has no run while another one is running', null, true, 'stand by'],
    ['has a running run', newest(null), true, 'stand by'],
    ['has a run that was killed', newest(null), false, 'restart'],
    ['has a run that was interrupted', newest('interrupted'), false, 'restart'],
    ['has a run that was interrupted while another one is running', newest('interrupted'), true, 'stand by'],
    ['has a run that was done', newest('done'), false, 'none'],
    ['has a run that did a part', newest('partial'), false, 'none'],
    ['has a run that failed', newest('failed'), true, 'none'],
    ['has a run whose retry is ahead', newest('failed', '06:35:01'), false, 'wait'],
    [
      'has a run whose retry is ahead while another one is running',
      newest('failed', '06:35:01'),
      true,
      'wait',
    ],
    ['has a run whose retry is due', newest('partial', '06:35:00'), false, 'retry'],
    [
      'has a run whose retry is due while another one is running',
      newest('partial', '06:35:00'),
      true,
      'stand by',
    ],
    ['has a run whose token was refused, and settings that were read since', refused(), false, 'retry'],
    [
      'has a run whose token was refused, with these settings',
      refused({ isOlderThanSettings: false }),
      false,
      'none',
    ],
    [
      'has a run whose token was refused, and settings that were read since RETRY_FOR is over',
      refused({ retryUntil: '2026-11-21 06:34:00+00' }),
      false,
      'none',
    ],
  ] as const)('and %s is decided by that', (_, run, lockHeld, decision) => {
    expect(decideRun(scheduledFor, known({ newest: run, lockHeld }), now)).toBe(decision);
  });

  it('before the warehouse was set up has no run', () => {
    const installedAt = '2026-11-21 10:00:00.5+00';
    expect(decideRun(scheduledFor, known({ installedAt }), now)).toBe('none');
  });

  it('at the very instant at which the warehouse was set up has its run', () => {
    const installedAt = '2026-11-21 06:30:00+00';
    expect(decideRun(scheduledFor, known({ installedAt }), now)).toBe('start');
  });
});
