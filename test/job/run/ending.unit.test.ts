import { expect, test } from 'vitest';
import { endingOfStats } from '../../../src/job/run/ending.ts';
import { createRunStats } from '../../../src/job/run/run-stats.ts';

/** A run in which a window failed, and so many loaded. */
function failing(loaded: number) {
  const stats = createRunStats();
  stats.windows.failed = 1;
  stats.windows.loaded = loaded;
  const detail = 'the service is down';
  stats.failures.push({
    code: 'SERVICE_UNAVAILABLE',
    isAsked: false,
    detail,
    step: 'windows',
    account: 'north',
    day: '2026-03-02',
  });
  return stats;
}

test.each([
  ['that loaded nothing', failing(0), false, { outcome: 'failed', exitCode: 69 }],
  ['that loaded others', failing(2), false, { outcome: 'partial', exitCode: 75 }],
  [
    'that met only what failed, where an earlier run of its date loaded others',
    failing(0),
    true,
    { outcome: 'partial', exitCode: 75 },
  ],
  ['that had nothing to do', createRunStats(), false, { outcome: 'done', exitCode: 0 }],
])('a run %s ends as its run date does', (_, stats, syncedEarlier, ending) => {
  expect(endingOfStats(stats, syncedEarlier)).toEqual(ending);
});
