import { describe, expect, it } from 'vitest';
import { expectHealed, expectReported, runDisturbed, settings } from '../crash/disturbing.ts';
import { killPointsAround } from '../crash/kill-points.ts';
import { killAndHeal, runUndisturbed } from '../crash/killing.ts';
import { killWhileMailing } from '../crash/mailing.ts';
import { endSessions, holdsLock, openScene } from '../crash/scene.ts';

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

  it('that loses a connection in use ends with a line that reports it, and the next run completes it', async () => {
    await using scene = await openScene();
    const ending = await runDisturbed(scene, 10, async () => {
      const pids = await endSessions(scene, `state = 'idle in transaction' and not ${holdsLock}`);
      expect(pids).toHaveLength(1);
    });
    // The error of the server, not that the rollback failed, too.
    expectReported(
      ending,
      /^callsheet: the database can't be used \(57P01: .+\): check that (it|the database) runs/,
    );
    await expectHealed(scene, undisturbed);
  });
});
