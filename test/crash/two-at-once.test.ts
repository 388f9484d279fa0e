import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { disagreements } from '../support/agreement.ts';
import { callsheet, type Ended } from '../support/callsheet.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { all, unquoted } from './kill-points.ts';
import { openScene, type Scene } from './scene.ts';

/** Each pair of runs has a day of its own; TEST_KILLS=all starts fifty pairs. */
const first = Temporal.PlainDate.from('2026-01-05');
const days = Array.from({ length: all ? 50 : 5 }, (_, days) => `${first.add({ days })}`);

it('of two runs that start together one works; the other one ends with 75 and reports which is running since when', async () => {
  await using scene = await openScene();
  // A run that died before is not the one that is reported.
  await scene.query(
    `insert into etl.runs (kind, command, run_date, host, process_id) values ('nightly', 'run', current_date, 'dead', 1)`,
  );
  // The last time, the one that has the lock is slow to record itself.
  for (const day of days) await runTwice(scene, day, day === days.at(-1) ? 1_000 : 0);
  expect(await disagreements(scene)).toEqual([]);
  expect(await scene.query('select 1 from etl.windows')).toHaveLength(3 * days.length);
  // Besides alerts, of days that nobody loaded and of the run that died.
  const digests = scene.smtp.received.filter(({ to }) => !to.includes(scene.environment.ALERT_TO!));
  expect(digests).toHaveLength(2 * days.length);
});

/**
 * Starts two runs of a day together: one does the work, the other one ends and reports which run is running since when.
 *
 * @param slownessMs how long the one that has the lock takes to record itself in `etl.runs`
 */
async function runTwice(scene: Scene, day: string, slownessMs = 0): Promise<void> {
  const both = await startBoth(scene, day, slownessMs);
  const [worked, refused] = both.sort((one, other) => one.code! - other.code!);
  expect(worked).toMatchObject({ code: 0, stdout: '' });
  expect(refused).toMatchObject({ code: 75, stdout: '' });

  const runs = await scene.query<{ run_id: string; host: string; outcome: string }>(
    'select run_id, host, outcome from etl.runs where command like $1',
    [`%${day}%`],
  );
  expect(runs).toEqual([expect.objectContaining({ outcome: 'done' })]);
  const reported = refused!.stderr.split('\n').filter((line) => line.startsWith('callsheet: '));
  const who = `run ${runs[0]!.run_id} on ${runs[0]!.host}, since 20`;
  expect(reported).toEqual([expect.stringContaining(`another run is running (${who}`)]);

  const csv = `campaigns-${day}.csv`;
  const mailed = scene.smtp.received.filter((mail) => mail.raw.includes(csv)).flatMap((mail) => mail.to);
  expect(mailed).toEqual(['ana@example.com', 'ben@example.com']);
}

/** Two runs that do meet, however slowly one of them starts: the running one waits until the other has ended. */
async function startBoth(scene: Scene, day: string, slownessMs: number): Promise<Ended[]> {
  const met = Promise.withResolvers<void>();
  let begun = 0;
  const proxy = await startPostgresProxy(scene.environment.DATABASE_URL!, {
    async beforeCommit({ statements }) {
      if (!/etl\.runs/.test(unquoted(statements[0]!))) return met.promise;
      // Should both begin, none may wait for the other.
      if (++begun === 2) met.resolve();
      if (slownessMs > 0) await delay(slownessMs);
    },
  });
  const environment = { ...scene.environment, DATABASE_URL: proxy.url };
  const runs = [1, 2].map(() => callsheet(['run', '--day', day], environment));
  await Promise.race(runs);
  met.resolve();
  const both = await Promise.all(runs);
  await proxy.close();
  return both;
}
