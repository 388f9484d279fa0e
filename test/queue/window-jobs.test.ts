import type { PgBoss } from 'pg-boss';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startBoss, windowsQueue } from '../../src/queue/boss.ts';
import { enqueue, findEnded, isAnyWorkerActive, type WindowJob } from '../../src/queue/window-jobs.ts';
import { openPlainSql, type PlainSql } from '../../src/warehouse/db/plain-sql.ts';
import { createSockets } from '../../src/warehouse/db/sockets.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { setUpQueue } from './workers.ts';

let database: TestDatabase;
let sql: PlainSql;
let boss: PgBoss;

beforeEach(async () => {
  database = await createDatabase();
  await setUpQueue(database.url);
  sql = openPlainSql(database.url, 2, createSockets());
  boss = await startBoss(sql, false, () => {});
});
afterEach(async () => {
  await boss.stop({ graceful: false });
  await sql.end();
  await database.drop();
});

const window = { run: 1, runDate: '2026-03-02', task: { account: { id: 1 }, day: '2026-03-01' } };
const job = window as unknown as WindowJob;

/** Takes the job that waits, as a worker does. */
async function take(): Promise<string> {
  const [taken] = await boss.fetch(windowsQueue);
  return taken!.id;
}

it('a worker is active, and its job not ended, from taking the job to its end', async () => {
  await enqueue(boss, [job]);
  expect(await isAnyWorkerActive(boss)).toBe(false);
  const id = await take();
  expect(await isAnyWorkerActive(boss)).toBe(true);
  expect(await findEnded(boss, [id])).toEqual([]);
  await boss.complete(windowsQueue, id);
  expect(await isAnyWorkerActive(boss)).toBe(false);
  expect(await findEnded(boss, [id])).toMatchObject([{ id, state: 'completed' }]);
});

it('a second run shares the job that is open for a window, and none that has ended', async () => {
  await enqueue(boss, [job]);
  await boss.complete(windowsQueue, await take());
  const [open] = await enqueue(boss, [job]);
  // Written later, with the last of all ids: the ended job is found after the open one, in the table and by any index.
  await sql.executeSql(
    `insert into etl_queue.job
     select (jsonb_populate_record(j, '{"id": "ffffffff-ffff-4fff-bfff-ffffffffffff"}')).* from etl_queue.job j
     where state = 'completed' limit 1`,
  );
  expect(await enqueue(boss, [job])).toEqual([{ id: open!.id, own: false }]);
});
