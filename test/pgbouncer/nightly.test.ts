import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openScene, type Scene } from '../crash/scene.ts';
import { disagreements } from '../support/agreement.ts';
import { callsheet } from '../support/callsheet.ts';
import { createDatabase, unusualSettings } from '../support/database.ts';
import { type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';

let pooler: PgBouncer;
let scene: Scene;
beforeAll(async () => {
  pooler = await startPgBouncer(inject('postgresAdminUrl'));
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

  it('doctor names the pooler, and what is missing', async () => {
    const { stdout } = await callsheet(['doctor'], scene.environment);
    expect(stdout).toMatch(/leads to a connection pooler/);
    expect(stdout).toMatch(/MIGRATE_DATABASE_URL/);
    const MIGRATE_DATABASE_URL = scene.databaseUrl;
    const report = await callsheet(['doctor'], { ...scene.environment, MIGRATE_DATABASE_URL });
    expect(report.stdout).toMatch(/leads to a connection pooler, MIGRATE_DATABASE_URL is set/);
    expect(report.stdout).toMatch(/✓ database {2}pool +the pooler gives a run its connections/);
  });

  it('doctor reports that a pool of one is too small, and ends with 69', async () => {
    const small = await startPgBouncer(inject('postgresAdminUrl'), { default_pool_size: 1 });
    const environment = { ...scene.environment, DATABASE_URL: small.url(scene.databaseUrl) };
    const { code, stdout } = await callsheet(['doctor'], environment);
    expect(stdout).toMatch(
      /✗ database {2}pool +the pooler gave no second connection within 5 s.*\n +→ give it a pool of/,
    );
    expect(stdout).toMatch(/✓ database {2}schema/);
    expect(code).toBe(69);
    await small.stop();
  });

  it('migrate connects to the database itself, and run to the pooler', async () => {
    const database = await createDatabase();
    const environment = { ...scene.environment, DATABASE_URL: pooler.url(database.url) };
    const migrated = await callsheet(['migrate'], { ...environment, MIGRATE_DATABASE_URL: database.url });
    expect(migrated).toMatchObject({ code: 0 });
    expect(await callsheet(['run', '--day', '2026-03-02'], environment)).toMatchObject({ code: 0 });
    await database.drop();
  });
});

describe('behind PgBouncer, before a database with other defaults', () => {
  it('a night is loaded with its days and timestamps as they are', async () => {
    await unusualSettings(scene.databaseUrl);
    // What it has open still has the defaults of before.
    await pooler.restart();
    expect(await callsheet(['run', '--day', '2026-03-02'], scene.environment)).toMatchObject({ code: 0 });
    expect(await disagreements(scene)).toEqual([]);
    const { stdout } = await callsheet(['status', '--json'], scene.environment);
    expect(JSON.parse(stdout).runs[0].startedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  });
});
