import { describe, it } from 'vitest';
import { killAndHeal, runUndisturbed } from './killing.ts';
import { momentsAtRandom, seed } from './moments.ts';

const settings = { CONCURRENCY: '8' };
const undisturbed = await runUndisturbed(settings);
const moments = momentsAtRandom(undisturbed.requests, 50);

describe.concurrent(`a run of ${undisturbed.requests} requests, eight at once (TEST_KILLS_SEED=${seed})`, () => {
  it.each(moments)('that is killed $ms ms after request $request', async (moment) => {
    await killAndHeal(moment, settings, undisturbed);
  });
});
