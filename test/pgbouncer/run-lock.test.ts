import { expect, inject, it } from 'vitest';
import { takeRunLock } from '../../src/warehouse/ledger/run-lock.ts';
import { createDatabase } from '../support/database.ts';
import { startPgBouncer } from '../support/pgbouncer.ts';

it('the run lock behind PgBouncer is free as soon as it is released', async () => {
  const pooler = await startPgBouncer(inject('postgresAdminUrl'));
  const database = await createDatabase({ template: 'migrated' });
  for (let times = 0; times < 20; times++) {
    const lock = await takeRunLock(pooler.url(database.url));
    expect(lock, `time ${times}`).not.toBeNull();
    expect(await takeRunLock(pooler.url(database.url))).toBeNull();
    await lock!.release();
  }
  await pooler.stop();
  await database.drop();
});
