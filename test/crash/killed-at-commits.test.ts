import { describe, it } from 'vitest';
import { killAndHeal, runUndisturbed } from './killing.ts';
import { momentsAround } from './moments.ts';

const settings = { CONCURRENCY: '1' };
const undisturbed = await runUndisturbed(settings);

describe.concurrent(`a run of ${undisturbed.commits.length} commits, one after the other`, () => {
  it.each(momentsAround(undisturbed.commits))('that is killed $title', async ({ moment }) => {
    await killAndHeal(moment, settings, undisturbed);
  });
});
