import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { disagreements } from '../support/agreement.ts';
import { callsheet, startCallsheet } from '../support/callsheet.ts';
import { readContents } from '../support/contents.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { expectDelivered, sendingNow } from './deliveries.ts';
import { randomKillPoints, seed } from './kill-points.ts';
import { killAt, lockFreed } from './killing.ts';
import { command, openScene, type Scene } from './scene.ts';

/* A run of three accounts, of which the service refuses the token of one: whatever happens to its process, it leaves what a twin
   leaves that was left alone. */

const { token } = generateDataset().accounts.find(({ name }) => name === 'coast')!;

async function openRefusing(): Promise<Scene> {
  const scene = await openScene();
  scene.simulator.revoke(token);
  return scene;
}

/** Rows and digests, and what is wrong. */
async function readLeft(scene: Scene) {
  return {
    contents: await readContents(scene),
    alerts: await scene.query(
      'select alert, title from etl.alerts where since_run_date is not null order by 1',
    ),
  };
}

/** What the twin leaves, and in how many requests to the database. */
async function readTwin() {
  await using scene = await openRefusing();
  let requests = 0;
  const proxy = await startPostgresProxy(scene.databaseUrl, { requested: () => void requests++ });
  expect(await callsheet(command, { ...scene.environment, DATABASE_URL: proxy.url })).toMatchObject({
    code: 77,
  });
  await proxy.close();
  return { requests, left: await readLeft(scene) };
}

const twin = await readTwin();

it('the twin alerts the refusal, and mails what it has', () => {
  expect(twin.left.alerts).toContainEqual(expect.objectContaining({ alert: 'TOKEN_REFUSED' }));
});

// The last requests are left out: how many there are depends on which refusal comes first.
describe.concurrent(`a run beside a refused token (TEST_KILLS_SEED=${seed})`, () => {
  it.each(randomKillPoints(twin.requests - 100, 4))(
    'that is killed $ms ms after request $request, and so is its restart',
    async (killPoint) => {
      await using scene = await openRefusing();
      await killAt(killPoint, command, scene.environment);
      await lockFreed(scene);
      await killAt({ request: 5 + (killPoint.request % 30), ms: killPoint.ms }, command, scene.environment);
      await lockFreed(scene);
      const cutOff = await sendingNow(scene);
      expect(await callsheet(command, scene.environment)).toMatchObject({ code: 77, stdout: '' });
      expect(await disagreements(scene)).toEqual([]);
      expect(await readLeft(scene)).toEqual(twin.left);
      await expectDelivered(scene, cutOff);
    },
  );

  it.each(randomKillPoints(twin.requests - 100, 3))(
    'that is stopped $ms ms after request $request, while another one is tried, goes on',
    async ({ request, ms }) => {
      await using scene = await openRefusing();
      let requests = 0;
      const stopped = Promise.withResolvers<void>();
      const proxy = await startPostgresProxy(scene.databaseUrl, {
        async requested() {
          if (++requests !== request) return;
          await delay(ms);
          child.kill('SIGSTOP');
          stopped.resolve();
        },
      });
      const child = startCallsheet(command, { ...scene.environment, DATABASE_URL: proxy.url });
      child.stdout.resume();
      child.stderr.resume();
      const ended = once(child, 'exit');
      await stopped.promise;
      // Before it has the lock, or after, the other one may go first.
      const other = await callsheet(command, scene.environment);
      child.kill('SIGCONT');
      const [code] = await ended;
      await proxy.close();
      expect([other.code, code]).toContain(77);
      for (const each of [other.code, code]) expect([75, 77]).toContain(each);
      expect(await disagreements(scene)).toEqual([]);
      expect(await readLeft(scene)).toEqual(twin.left);
      await expectDelivered(scene, []);
    },
  );
});
