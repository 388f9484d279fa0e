import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { disagreements } from '../support/agreement.ts';
import { callsheet, type Ended } from '../support/callsheet.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { unquoted } from './kill-points.ts';
import { openScene, type Scene } from './scene.ts';

describe('of two runs that start together', () => {
  const days = consecutiveDays(51);
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene();
  });
  afterAll(() => scene.close());

  it.each(days.slice(0, 50))(
    'one syncs %s, and the other ends with 75 and reports which run is in progress since when',
    async (day) => {
      await runTwice(scene, day);
    },
  );

  it('the one in progress is named although it was slow to record itself, and not a run that died before', async () => {
    await scene.query(
      `insert into etl.runs (kind, command, run_date, host, process_id) values ('nightly', 'run', current_date, 'dead', 1)`,
    );
    await runTwice(scene, days.at(-1)!, 1_000);
  });

  it('nothing is done twice, and the warehouse is consistent at the end', async () => {
    expect(await disagreements(scene)).toEqual([]);
    expect(await scene.query('select 1 from etl.windows')).toHaveLength(3 * days.length);
    // Beside alerts, of days that nobody loaded and of the run that died.
    const digests = scene.smtp.received.filter(({ to }) => !to.includes(scene.environment.ALERT_TO!));
    expect(digests).toHaveLength(2 * days.length);
  });
});

/** Consecutive days, for runs that each have a day of their own. */
function consecutiveDays(count: number): string[] {
  const first = Temporal.PlainDate.from('2026-01-05');
  return Array.from({ length: count }, (_, days) => `${first.add({ days })}`);
}

/**
 * Starts two runs of a day together: one does the work, the other one ends and reports which run is in progress since when.
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
  expect(reported).toEqual([expect.stringContaining(`another run is at work (${who}`)]);

  const csv = `campaigns-${day}.csv`;
  const mailed = scene.smtp.received.filter((mail) => mail.raw.includes(csv)).flatMap((mail) => mail.to);
  expect(mailed).toEqual(['ana@example.com', 'ben@example.com']);
}

/** Two runs that do meet, however slowly one of them starts: the one at work waits until the other has ended. */
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
