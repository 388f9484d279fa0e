import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { callsheet, startCallsheet } from '../support/callsheet.ts';
import { readContents } from '../support/contents.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { expectDelivered } from './deliveries.ts';
import { killPointsAround, randomKillPoints, seed } from './kill-points.ts';
import { expectNothingHalf, killAndHeal, runUndisturbed } from './killing.ts';
import { command, openScene, type Scene } from './scene.ts';

const one = { CONCURRENCY: '1' };
const inOrder = await runUndisturbed(one);

describe.concurrent(`a run of ${inOrder.commits.length} commits, one after the other`, () => {
  it.each(killPointsAround(inOrder.commits))('that is killed $title', async ({ killPoint }) => {
    await killAndHeal([killPoint], one, inOrder);
  });
});

const eight = { CONCURRENCY: '8' };
const atOnce = await runUndisturbed(eight);

describe.concurrent(`a run of ${atOnce.requests} requests, eight at once (TEST_KILLS_SEED=${seed})`, () => {
  // A restart sends fewer requests: it is killed among its first.
  it.each(randomKillPoints(atOnce.requests, 4))(
    'that is killed $ms ms after request $request, and whose restart is killed, too',
    async (killPoint) => {
      const again = { request: 5 + (killPoint.request % 30), ms: killPoint.ms };
      await killAndHeal([killPoint, again], eight, atOnce);
    },
  );

  // The last requests are left out: once the last message is under way, a run ends as without SIGTERM.
  it.each(randomKillPoints(atOnce.requests - 50, 3))(
    'that gets SIGTERM $ms ms after request $request ends in order, and the next one completes it',
    async (killPoint) => {
      await using scene = await openScene();
      expect(await terminateAt(killPoint, scene)).toBe(143);
      // A session ends a little after its connection.
      const sessions = `select state, query from pg_stat_activity
        where datname = current_database() and application_name = 'callsheet'`;
      await expect.poll(() => scene.query(sessions)).toEqual([]);
      const runs = await scene.query('select outcome, exit_code::int from etl.runs');
      expect(runs.filter(({ outcome }) => outcome !== 'interrupted')).toEqual([]);
      await expectNothingHalf(scene, atOnce);

      const next = await callsheet(command, { ...scene.environment, ...eight });
      expect(next).toMatchObject({ code: 0, stdout: '' });
      expect(await readContents(scene)).toEqual(atOnce.contents);
      await expectDelivered(scene, []);
    },
  );
});

/** Sends SIGTERM there, and returns the exit code. */
async function terminateAt(killPoint: { request: number; ms: number }, scene: Scene): Promise<number | null> {
  let requests = 0;
  const proxy = await startPostgresProxy(scene.environment.DATABASE_URL!, {
    requested() {
      if (++requests === killPoint.request) void delay(killPoint.ms).then(() => child.kill('SIGTERM'));
    },
  });
  const child = startCallsheet(command, { ...scene.environment, ...eight, DATABASE_URL: proxy.url });
  child.stdout.resume();
  child.stderr.resume();
  const [code] = await once(child, 'exit');
  await proxy.close();
  return code;
}
