import { describe, it } from 'vitest';
import { killPointsAround } from './kill-points.ts';
import { killAndHeal, runUndisturbed } from './killing.ts';

const settings = { CONCURRENCY: '1' };
const undisturbed = await runUndisturbed(settings);

describe.concurrent(`a run of ${undisturbed.commits.length} commits, one after the other`, () => {
  it.each(killPointsAround(undisturbed.commits))('that is killed $title', async ({ killPoint }) => {
    await killAndHeal([killPoint], settings, undisturbed);
  });
});
