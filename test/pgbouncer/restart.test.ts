import { it, onTestFinished } from 'vitest';
import { restartAndHeal } from '../crash/restarting.ts';
import { startPgBouncer } from '../support/pgbouncer.ts';

it('a run whose Postgres is restarted behind PgBouncer ends with a line that reports it, and the next run completes it', async () => {
  await restartAndHeal(async (serverUrl) => {
    const pooler = await startPgBouncer(serverUrl, { server_login_retry: 1 });
    onTestFinished(pooler.stop);
    return pooler.url;
  });
});
