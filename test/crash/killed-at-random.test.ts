import fc from 'fast-check';
import { describe, it } from 'vitest';
import { killAndHeal, runUndisturbed } from './killing.ts';

const kills = process.env.TEST_KILLS === 'all' ? 250 : 50;
const seed = Number(process.env.TEST_KILLS_SEED ?? 20261121);
const settings = { CONCURRENCY: '8' };
const undisturbed = await runUndisturbed(settings);

// Moments are counted in requests to the database, and then in time: on the clock alone, a busy machine would have
// most of them while Node starts. A run's last requests are left out, for it may end before it can be killed.
const moments = fc.sample(
  fc.record({
    request: fc.integer({ min: 1, max: undisturbed.requests - 3 }),
    ms: fc.integer({ min: 0, max: 4 }),
  }),
  { seed, numRuns: kills },
);

describe.concurrent(`a run of ${undisturbed.requests} requests, eight at once (TEST_KILLS_SEED=${seed})`, () => {
  it.each(moments)('that is killed $ms ms after request $request', async (moment) => {
    await killAndHeal(moment, settings, undisturbed);
  });
});
