import { describe, expect, it } from 'vitest';
import { judgeSlot } from '../../src/schedule/judge-slot.ts';

const slot = Temporal.Instant.from('2026-11-21T06:30:00Z');
const before = '2026-11-01 12:00:00+00';
const after = '2026-11-21 10:00:00.5+00';

describe('a slot that has come', () => {
  it.each([
    ['has no run', 'none', false, 'due'],
    ['has no run while somebody is at work', 'none', true, 'standing by'],
    ['has a run at work', null, true, 'standing by'],
    ['has a run that was killed', null, false, 'left'],
    ['has a run that was interrupted', 'interrupted', false, 'left'],
    ['has a run that was interrupted while somebody is at work', 'interrupted', true, 'standing by'],
    ['has a run that was done', 'done', false, 'settled'],
    ['has a run that did a part', 'partial', false, 'settled'],
    ['has a run that failed', 'failed', true, 'settled'],
  ] as const)('and %s is judged by that', (_, outcome, lockHeld, judgement) => {
    expect(judgeSlot(slot, { installedAt: before, outcome, lockHeld })).toBe(judgement);
  });

  it('before the warehouse was set up is nobody’s', () => {
    expect(judgeSlot(slot, { installedAt: after, outcome: 'none', lockHeld: false })).toBe('settled');
  });
});
