import { expect, inject, it } from 'vitest';
import { openScene } from '../crash/scene.ts';
import { setUpQueue, startWorker } from '../queue/workers.ts';
import { disagreements } from '../support/agreement.ts';
import { callsheet } from '../support/callsheet.ts';
import { startPgBouncer } from '../support/pgbouncer.ts';

it('behind PgBouncer in transaction mode workers sync the windows of a run, and a killed worker is detected', async () => {
  const pooler = await startPgBouncer(inject('postgresAdminUrl'));
  await using scene = await openScene(pooler.url);
  await setUpQueue(scene.environment.DATABASE_URL!);
  await using lost = startWorker(scene.environment);
  await using _other = startWorker(scene.environment);
  const windows = () => scene.query(`select from etl.windows where state = 'loaded'`);
  const killing = (async () => {
    while ((await windows()).length === 0) await new Promise(setImmediate);
    lost.child.kill('SIGKILL');
  })();
  const days = ['--from', '2026-02-01', '--to', '2026-03-10', '--distribute'];
  expect(await callsheet(['backfill', ...days], scene.environment)).toMatchObject({ code: 0 });
  await killing;
  expect(await windows()).toHaveLength(3 * 38);
  expect(await disagreements(scene)).toEqual([]);
  await pooler.stop();
});
