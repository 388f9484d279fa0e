import { describe, expect, it } from 'vitest';
import { decideRun } from '../../src/planning/decide-run.ts';

const scheduledFor = Temporal.Instant.from('2026-11-21T06:30:00Z');
const before = '2026-11-01 12:00:00+00';
const after = '2026-11-21 10:00:00.5+00';

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
    expect(decideRun(scheduledFor, { installedAt: before, outcome, lockHeld })).toBe(decision);
  });

  it('before the warehouse was set up has no run', () => {
    expect(decideRun(scheduledFor, { installedAt: after, outcome: 'none', lockHeld: false })).toBe('none');
  });
});
