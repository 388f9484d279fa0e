import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openScene, type Scene } from '../../crash/scene.ts';
import { disagreements } from '../../support/agreement.ts';
import { callsheet } from '../../support/callsheet.ts';
import { createDatabase, unusualSettings } from '../../support/database.ts';
import { type PgBouncer, startPgBouncer } from './pgbouncer.ts';

const adminUrl = inject('postgresAdminUrl');
let pooler: PgBouncer;
let scene: Scene;
beforeAll(async () => {
  pooler = await startPgBouncer(adminUrl);
  scene = await openScene(pooler.url);
});
afterAll(async () => {
  await scene?.close();
  await pooler?.stop();
});

describe('behind PgBouncer in transaction mode', () => {
  it('a nightly run loads and mails, and a second run finds nothing to do', async () => {
    // A new installation, whose first run loads yesterday.
    await scene.query('delete from warehouse.accounts');
    expect(await callsheet(['run'], scene.environment)).toMatchObject({ code: 0, stdout: '' });
    expect(await disagreements(scene)).toEqual([]);
    expect(await scene.query(`select 1 from etl.windows where state = 'loaded'`)).toHaveLength(3);
    expect(scene.smtp.received).toHaveLength(2);

    const rows = () => scene.query('select xmin::text, ctid::text from etl.campaign_days order by 2');
    const before = await rows();
    const again = await callsheet(['run'], scene.environment);
    expect(again).toMatchObject({ code: 0, stdout: '' });
    expect(await rows()).toEqual(before);
    expect(scene.smtp.received).toHaveLength(2);
  });

  it('doctor names the pooler, and the setting that migrate lacks', async () => {
    const { stdout } = await callsheet(['doctor'], scene.environment);
    expect(stdout).toMatch(/leads to a connection pooler.*MIGRATE_DATABASE_URL/s);
    expect(stdout).toMatch(/✓ database {2}pool +the pooler gives a run its connections/);
  });

  it('migrate connects to the database itself, and a run loads timestamps as they are, whatever its defaults', async () => {
    const database = await createDatabase();
    await unusualSettings(database.url);
    const environment = { ...scene.environment, DATABASE_URL: pooler.url(database.url) };
    const migrated = await callsheet(['migrate'], { ...environment, MIGRATE_DATABASE_URL: database.url });
    expect(migrated).toMatchObject({ code: 0 });
    expect(await callsheet(['run', '--day', '2026-03-02'], environment)).toMatchObject({ code: 0 });
    const { stdout } = await callsheet(['status', '--json'], environment);
    expect(JSON.parse(stdout).runs[0].startedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    await database.drop();
  });
});

describe('a PgBouncer that will not do', () => {
  it.each([
    [
      'is in statement mode',
      'statement',
      8,
      78,
      /gives a connection for single statements alone .*\n +→ set it/,
    ],
    [
      'has too few connections in session mode',
      'session',
      3,
      69,
      /gave 3 connections of 9 .*\n +→ .*at least 9/,
    ],
    [
      'has one connection',
      'transaction',
      1,
      69,
      /gave no second connection within 5 s.*\n +→ give it a pool of/,
    ],
  ])('because it %s is named by doctor, with what to set', async (_, pool_mode, size, exitCode, named) => {
    const wrong = await startPgBouncer(adminUrl, { pool_mode, default_pool_size: size });
    const environment = { ...scene.environment, DATABASE_URL: wrong.url(scene.databaseUrl) };
    expect(await callsheet(['doctor'], environment)).toMatchObject({
      code: exitCode,
      stdout: expect.stringMatching(named),
    });
    await wrong.stop();
  });

  it('because it is in statement mode ends a run with 78 and the mode that will do', async () => {
    const wrong = await startPgBouncer(adminUrl, { pool_mode: 'statement', default_pool_size: 8 });
    const environment = { ...scene.environment, DATABASE_URL: wrong.url(scene.databaseUrl) };
    expect(await callsheet(['run'], environment)).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(
        /gives a connection for single statements alone .*: set it to transaction mode/,
      ),
    });
    await wrong.stop();
  });
});
