import { describe, it } from 'vitest';
import { settings } from '../crash/disturbing.ts';
import { killAndHeal, runUndisturbed } from '../crash/killing.ts';
import { killWhileMailing } from '../crash/mailing.ts';
import { momentsAround } from '../crash/moments.ts';
import { losesItsConnection } from '../crash/outages.ts';

// A handful of what `test/crash` does at each moment there is.
const undisturbed = await runUndisturbed(settings);
const moments = momentsAround(undisturbed.commits);
const some = [0.1, 0.4, 0.7, 0.9].map((part) => moments[Math.floor(part * moments.length)]!);

describe.concurrent('a run', () => {
  it.each(some)('that is killed $title is healed by the next', async ({ moment }) => {
    await killAndHeal(moment, settings, undisturbed);
  });

  it.for([
    { stage: 'body', nth: 1, side: 'before' },
    { stage: 'dot', nth: 1, side: 'after' },
  ] as const)(
    'that is killed $side $stage of message $nth sends none twice, and reports what is unknown',
    async (moment, { onTestFinished }) => {
      await killWhileMailing(moment, onTestFinished);
    },
  );

  losesItsConnection(undisturbed);
});
