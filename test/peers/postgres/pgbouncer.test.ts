import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openScene, type Scene } from '../../crash/scene.ts';
import { disagreements } from '../../support/agreement.ts';
import { callsheet } from '../../support/callsheet.ts';
import { readContents } from '../../support/contents.ts';
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

it('a run in session mode with a pool of nine loads what one without a pooler does', async () => {
  const between = await startPgBouncer(adminUrl, { pool_mode: 'session', default_pool_size: 9 });
  await using pooled = await openScene(between.url);
  await using direct = await openScene();
  for (const { environment } of [pooled, direct])
    expect(await callsheet(['run', '--day', '2026-03-02'], environment)).toMatchObject({
      code: 0,
      stdout: '',
    });
  expect(await disagreements(pooled)).toEqual([]);
  expect(await readContents(pooled)).toEqual(await readContents(direct));
  await between.stop();
});

describe('a PgBouncer that will not do', () => {
  it.each([
    [
      'is in statement mode',
      'statement',
      8,
      78,
      /runs in statement mode, which Callsheet can't use .*: set it to/,
    ],
    ['has too few connections in session mode', 'session', 1, 69, /no response .*has connections left/],
  ])(
    'because it %s ends a run with a line that says what to set',
    async (_, pool_mode, size, exitCode, named) => {
      const wrong = await startPgBouncer(adminUrl, {
        pool_mode,
        default_pool_size: size,
        query_wait_timeout: 5,
      });
      const environment = { ...scene.environment, DATABASE_URL: wrong.url(scene.databaseUrl) };
      expect(await callsheet(['run'], environment)).toMatchObject({
        code: exitCode,
        stderr: expect.stringMatching(named),
      });
      await wrong.stop();
    },
  );
});
