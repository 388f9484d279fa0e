import { expect, it, onTestFinished } from 'vitest';
import { examineDatabase } from '../../src/warehouse/schema/examine.ts';
import { command } from '../support/command.ts';
import { openWorld } from '../support/world.ts';
import { parseExposition } from './exposition.ts';
import { serve } from './site.ts';

const readOnly = 'the database is read-only: default_transaction_read_only is on';

it('of a database that refuses writes, every surface says so, and none that all is good, until it takes them again', async () => {
  const world = await openWorld();
  onTestFinished(() => world.close());
  const environment = { ...world.environment, LOG_LEVEL: 'error' };
  expect(await command(['run'], environment)).toMatchObject({ code: 0 });
  const name = new URL(world.databaseUrl).pathname.slice(1);
  await world.query(`alter database ${name} set default_transaction_read_only = on`);

  const site = await serve(world.databaseUrl, {}, world.environment);
  onTestFinished(site.close);
  const ready = await site.get('/readyz');
  expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining(readOnly)]);
  expect(await site.text('/')).toContain('<h1>1 to check: run failed: database read-only');
  const active = () =>
    site.text('/metrics').then((text) =>
      parseExposition(text)
        .get('callsheet_active_alerts')!
        .samples.find(({ labels }) => labels.code === 'RUN_FAILED' && labels.kind === 'to check'),
    );
  expect(await active()).toMatchObject({ value: 1 });

  const status = await command(['status'], environment);
  expect(status).toMatchObject({ code: 75, stdout: expect.stringContaining('The database is read-only') });
  expect(await command(['migrate'], environment)).toMatchObject({
    code: 69,
    stderr: expect.stringContaining(readOnly),
  });
  expect(await command(['run'], environment)).toMatchObject({
    code: 69,
    stderr: expect.stringContaining('the database is read-only'),
  });
  const finding = (await examineDatabase(world.databaseUrl)).find(({ subject }) => subject === 'schema');
  expect(finding).toMatchObject({ status: 'error', exitCode: 69, message: readOnly });

  await world.query(`alter database ${name} reset default_transaction_read_only`);
  expect(await command(['run'], environment)).toMatchObject({ code: 0 });
  expect(await command(['status'], environment)).toMatchObject({ code: 0 });
});
