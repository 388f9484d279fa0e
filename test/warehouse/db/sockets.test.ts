import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openWarehouse } from '../../../src/warehouse/db/database.ts';
import { createSockets } from '../../../src/warehouse/db/sockets.ts';
import { inTransaction } from '../../../src/warehouse/db/transaction.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { startPostgresProxy } from '../../support/postgres-proxy.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
});
afterAll(() => database.drop());

describe.concurrent('a warehouse', () => {
  it('whose database falls silent fails once with what happened, waits for nothing more, and closes', async () => {
    const proxy = await startPostgresProxy(database.url);
    const warehouse = openWarehouse(proxy.url, 2, createSockets(2_000));
    const work = inTransaction(warehouse, async (transaction) => {
      await sql`select 1`.execute(transaction);
      proxy.fallSilent();
      await sql`select 2`.execute(transaction);
    });
    await expect(work).rejects.toMatchObject({
      code: 'WAREHOUSE_UNAVAILABLE',
      message: 'the database fell silent (nothing received for 2 s)',
    });
    await warehouse.destroy();
    await proxy.close();
  });

  it('whose sockets have a long timeout waits for a slow statement', async () => {
    const [hasty, patient] = [2_000, 0].map((ms) => openWarehouse(database.url, 1, createSockets(ms)));
    const slow = sql`select pg_sleep(3) is not null as done`;
    const [failed, done] = await Promise.allSettled([slow.execute(hasty!), slow.execute(patient!)]);
    expect(failed.status).toBe('rejected');
    expect(done).toMatchObject({ status: 'fulfilled', value: { rows: [{ done: true }] } });
    await Promise.all([hasty!.destroy(), patient!.destroy()]);
  });

  it('that is cut off fails at once with the reason, and connects anew for the next statement', async () => {
    const sockets = createSockets();
    const warehouse = openWarehouse(database.url, 2, sockets);
    const watcher = openWarehouse(database.url, 1);
    const failed = sql`select pg_sleep(120), 'cut off'`.execute(warehouse).catch((error: Error) => error);
    const asleep = sql`select from pg_stat_activity
      where datname = current_database() and state = 'active' and query ~ 'cut off' and pid <> pg_backend_pid()`;
    await vi.waitFor(async () => expect((await asleep.execute(watcher)).rows).toHaveLength(1), 30_000);
    const reason = new Error('enough');
    sockets.cut(reason);
    expect(await failed).toBe(reason);
    expect((await sql`select 1 as one`.execute(warehouse)).rows).toEqual([{ one: 1 }]);
    await Promise.all([warehouse.destroy(), watcher.destroy()]);
  });
});
