import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { disagreements } from '../support/agreement.ts';
import { callsheet, startCallsheet } from '../support/callsheet.ts';
import { readContents } from '../support/contents.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { expectDelivered } from './deliveries.ts';
import { all, seed } from './kill-points.ts';
import { runUndisturbed } from './killing.ts';
import { command, openScene, type Scene } from './scene.ts';

const terminations = all ? 250 : 30;
const settings = { CONCURRENCY: '8' };
const undisturbed = await runUndisturbed(settings);

type KillPoint = { readonly request: number; readonly ms: number };

// Once the last message is under way a run ends as without SIGTERM: those requests, of alerts and of the end, are left out.
const killPoints = fc.sample(
  fc.record({
    request: fc.integer({ min: 1, max: undisturbed.requests - 50 }),
    ms: fc.integer({ min: 0, max: 4 }),
  }),
  { seed, numRuns: terminations },
);

/** Sends SIGTERM there; gives the exit code and the seconds that the process lived on. */
async function terminateAt({ request, ms }: KillPoint, scene: Scene) {
  let requests = 0;
  let since = 0;
  const proxy = await startPostgresProxy(scene.environment.DATABASE_URL!, {
    requested() {
      if (++requests === request) void delay(ms).then(terminate);
    },
  });
  const child = startCallsheet(command, { ...scene.environment, ...settings, DATABASE_URL: proxy.url });
  child.stdout.resume();
  child.stderr.resume();
  function terminate() {
    since = performance.now();
    child.kill('SIGTERM');
  }
  const [code] = await once(child, 'exit');
  const seconds = (performance.now() - since) / 1_000;
  await proxy.close();
  return { code, seconds };
}

/** A session ends a little after its connection. */
async function sessionsLeft(scene: Scene): Promise<unknown[]> {
  for (let tries = 0; ; tries++) {
    const sessions = await scene.query(
      `select state, query from pg_stat_activity
       where datname = current_database() and application_name = 'callsheet'`,
    );
    if (sessions.length === 0 || tries === 100) return sessions;
    await delay(20);
  }
}

describe.concurrent(`a run of ${undisturbed.requests} requests (TEST_KILLS_SEED=${seed})`, () => {
  it.each(killPoints)(
    'that gets SIGTERM $ms ms after request $request ends in order, and the next one completes it',
    async (killPoint) => {
      await using scene = await openScene();
      const { code, seconds } = await terminateAt(killPoint, scene);
      expect(code).toBe(143);
      expect(seconds).toBeLessThan(10);
      expect(await sessionsLeft(scene)).toEqual([]);
      const runs = await scene.query('select outcome, exit_code::int from etl.runs');
      expect(runs.filter(({ outcome }) => outcome !== 'interrupted')).toEqual([]);
      expect(await disagreements(scene)).toEqual([]);

      const next = await callsheet(command, { ...scene.environment, ...settings });
      expect(next).toMatchObject({ code: 0, stdout: '' });
      expect(await readContents(scene)).toEqual(undisturbed.contents);
      await expectDelivered(scene, []);
    },
  );
});
