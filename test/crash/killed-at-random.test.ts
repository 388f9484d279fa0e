import { describe, it } from 'vitest';
import { randomKillPoints, seed } from './kill-points.ts';
import { killAndHeal, runUndisturbed } from './killing.ts';

const settings = { CONCURRENCY: '8' };
const undisturbed = await runUndisturbed(settings);
const killPoints = randomKillPoints(undisturbed.requests, 50);

describe.concurrent(`a run of ${undisturbed.requests} requests, eight at once (TEST_KILLS_SEED=${seed})`, () => {
  it.each(killPoints)('that is killed $ms ms after request $request', async (killPoint) => {
    await killAndHeal([killPoint], settings, undisturbed);
  });

  // A restart sends fewer requests: these are among its first.
  it.each(killPoints.slice(0, 6))(
    'that is killed $ms ms after request $request, and whose restart is killed, too',
    async (killPoint) => {
      const again = { request: 5 + (killPoint.request % 30), ms: killPoint.ms };
      await killAndHeal([killPoint, again], settings, undisturbed);
    },
  );
});
