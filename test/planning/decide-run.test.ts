import { describe, expect, it } from 'vitest';
import type { ScheduledRun } from '../../src/model/run.ts';
import { decideRun } from '../../src/planning/decide-run.ts';

const scheduledFor = Temporal.Instant.from('2026-11-21T06:30:00Z');
const now = Temporal.Instant.from('2026-11-21T06:35:00Z');

const known = (what: Partial<ScheduledRun>): ScheduledRun => ({
  installedAt: '2026-11-01 12:00:00+00',
  outcome: 'none',
  runDate: null,
  retryUntil: null,
  waiting: null,
  lockHeld: false,
  ...what,
});

const waiting = (of: string, retryAt: string) => ({
  run: 1,
  runDate: '2026-11-21',
  scheduledFor: `2026-11-21 ${of}+00`,
  attempts: 2,
  retryAt: `2026-11-21 ${retryAt}+00`,
  retryUntil: '2026-11-21 09:30:00+00',
  summary: {},
});

describe('a scheduled time that has come', () => {
  it.each([
    ['has no run', 'none', false, 'start'],
    ['has no run while somebody is at work', 'none', true, 'stand by'],
    ['has a run at work', null, true, 'stand by'],
    ['has a run that was killed', null, false, 'restart'],
    ['has a run that was interrupted', 'interrupted', false, 'restart'],
    ['has a run that was interrupted while somebody is at work', 'interrupted', true, 'stand by'],
    ['has a run that was done', 'done', false, 'none'],
    ['has a run that did a part', 'partial', false, 'none'],
    ['has a run that failed', 'failed', true, 'none'],
  ] as const)('and %s is decided by that', (_, outcome, lockHeld, decision) => {
    expect(decideRun(scheduledFor, known({ outcome, lockHeld }), now)).toBe(decision);
  });

  it('before the warehouse was set up has no run', () => {
    const installedAt = '2026-11-21 10:00:00.5+00';
    expect(decideRun(scheduledFor, known({ installedAt }), now)).toBe('none');
  });

  it('at the very instant at which the warehouse was set up has its run', () => {
    const installedAt = '2026-11-21 06:30:00+00';
    expect(decideRun(scheduledFor, known({ installedAt }), now)).toBe('start');
  });

  it.each([
    ['has a run whose next attempt is ahead', '06:30:00', '06:35:01', false, 'wait'],
    ['has a run whose next attempt is due', '06:30:00', '06:35:00', false, 'go on'],
    [
      'has a run whose next attempt is due while somebody is at work',
      '06:30:00',
      '06:35:00',
      true,
      'stand by',
    ],
    ['finds an earlier run that still waits', '05:30:00', '06:35:01', false, 'go on'],
  ] as const)('and %s is decided by that', (_, of, retryAt, lockHeld, decision) => {
    const ofRun = { outcome: of === '06:30:00' ? null : ('none' as const), lockHeld };
    expect(decideRun(scheduledFor, known({ ...ofRun, waiting: waiting(of, retryAt) }), now)).toBe(decision);
  });
});
