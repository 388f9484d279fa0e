import { expect, it } from 'vitest';
import { toOngoing } from '../../../src/job/run/attempt.ts';
import { createRunStats } from '../../../src/job/run/run-stats.ts';

it('a waiting run that nobody knows anything of goes on as one that did nothing yet', () => {
  const times = {
    scheduledFor: '2026-03-03T06:30:00Z',
    retryAt: '2026-03-03T06:45:00Z',
    retryUntil: '2026-03-03T12:30:00Z',
  };
  const waiting = { run: 1, runDate: '2026-03-03', attempts: 1, summary: null, ...times };
  expect(toOngoing(waiting)).toEqual({
    run: 1,
    runDate: '2026-03-03',
    attempts: 1,
    stats: createRunStats(),
    cutShort: false,
  });
});
