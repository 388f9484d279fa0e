import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { disagreements } from '../support/agreement.ts';
import { startCallsheet } from '../support/callsheet.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { openNewScene } from './scene.ts';

it('of two replicas one runs; when it is killed during its run, the other one repeats the run', async () => {
  await using scene = await openNewScene();
  // A time of day that comes in some seconds.
  const time = Temporal.Now.zonedDateTimeISO('UTC').add({ seconds: 4 });
  const schedule = `${time.second} ${time.minute} ${time.hour} * * *`;
  let killed: Replica | null = null;

  async function startReplica() {
    let windows = 0;
    const proxy = await startPostgresProxy(scene.environment.DATABASE_URL!, {
      beforeCommit({ statements }) {
        if (!statements.some((text) => text.includes('first_loaded_at')) || ++windows !== 2 || killed) return;
        killed = replica;
        replica.child.kill('SIGKILL');
      },
    });
    const settings = { SCHEDULE: schedule, CONCURRENCY: '1', DATABASE_URL: proxy.url };
    const child = startCallsheet(['schedule'], { ...scene.environment, ...settings });
    const replica = { child, proxy, exit: once(child, 'exit') };
    return replica;
  }
  type Replica = { readonly child: ReturnType<typeof startCallsheet>; readonly exit: Promise<unknown[]> };

  const replicas = [await startReplica(), await startReplica()];
  const done = replicas.map(async ({ child }) => {
    for await (const line of createInterface(child.stderr))
      if (JSON.parse(line).msg.includes('done in')) return;
    await new Promise(() => {});
  });
  for (const { exit, proxy } of replicas) void exit.then(() => proxy.cut());
  await Promise.race(done);

  const living = replicas.find((replica) => replica !== killed)!;
  living.child.kill('SIGTERM');
  expect(await killed!.exit).toEqual([null, 'SIGKILL']);
  expect(await living.exit).toEqual([143, null]);
  await Promise.all(replicas.map(({ proxy }) => proxy.close()));

  const runs = await scene.query(
    `select process_id::int as process, outcome, number from etl.runs order by run_id`,
  );
  expect(runs).toEqual([
    { process: killed!.child.pid, outcome: null, number: 1 },
    { process: living.child.pid, outcome: 'done', number: 2 },
  ]);
  expect(await disagreements(scene)).toEqual([]);
  const windows = await scene.query(`select count(*)::int from etl.windows where state = 'loaded'`);
  expect(windows).toEqual([{ count: 3 }]);
  expect(await scene.query('select 1 from warehouse.campaign_day_restatements')).toEqual([]);
  expect(await scene.query(`select 1 from etl.mails`)).toHaveLength(1);
  expect(scene.smtp.received.flatMap((mail) => mail.to)).toEqual(['ana@example.com', 'ben@example.com']);
});
