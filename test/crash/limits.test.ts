import { describe, expect, it } from 'vitest';
import { bounded, expectHealed, expectReported, settings } from './disturbing.ts';
import { runUndisturbed } from './killing.ts';
import { openLimited, timeLimits } from './limits.ts';
import { unusable } from './outages.ts';

const undisturbed = await runUndisturbed(settings);

describe.concurrent('a run whose role', () => {
  timeLimits(undisturbed);

  it.each([0, 1, 2])(
    'may have %i connections ends with a line that reports it, and the next run completes it',
    async (limit) => {
      await using limited = await openLimited([`connection limit ${limit}`]);
      const ending = await bounded({ ...limited.environment, CONCURRENCY: '8' });
      expectReported(ending, unusable);
      expect(ending.stderr).toMatch(/too many connections for role/);
      await expectHealed(limited.scene, undisturbed);
    },
  );
});
