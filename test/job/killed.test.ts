import { describe, it } from 'vitest';
import { settings } from '../crash/disturbing.ts';
import { killPointsAround } from '../crash/kill-points.ts';
import { killAndHeal, runUndisturbed } from '../crash/killing.ts';
import { killWhileMailing } from '../crash/mailing.ts';
import { losesItsConnection } from '../crash/outages.ts';

// A handful of what `test/crash` does at every kill point.
const undisturbed = await runUndisturbed(settings);
const killPoints = killPointsAround(undisturbed.commits);
const some = [0.1, 0.4, 0.7, 0.9].map((part) => killPoints[Math.floor(part * killPoints.length)]!);

describe.concurrent('a run', () => {
  it.each(some)('that is killed $title is healed by the next', async ({ killPoint }) => {
    await killAndHeal([killPoint], settings, undisturbed);
  });

  it.for([
    { stage: 'body', nth: 1, side: 'before' },
    { stage: 'dot', nth: 1, side: 'after' },
  ] as const)(
    'that is killed $side $stage of message $nth sends none twice, and reports what is unknown',
    async (killPoint, { onTestFinished }) => {
      await killWhileMailing(killPoint, onTestFinished);
    },
  );

  losesItsConnection(undisturbed);
});
