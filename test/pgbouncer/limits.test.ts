import pg from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { bounded, expectHealed, expectReported, runDisturbed, settings } from '../crash/disturbing.ts';
import { runUndisturbed } from '../crash/killing.ts';
import { openLimited, timeLimits } from '../crash/limits.ts';
import { unusable } from '../crash/outages.ts';
import { openScene } from '../crash/scene.ts';
import { startPgBouncer } from '../support/pgbouncer.ts';

const adminUrl = inject('postgresAdminUrl');
const pooler = await startPgBouncer(adminUrl);
afterAll(() => pooler.stop());
const undisturbed = await runUndisturbed(settings, pooler.url);
const noConnectionForWork =
  /^callsheet: the run lock got the last connection .+: give the pooler a pool of at least 2/;

describe.concurrent('a run behind PgBouncer whose role', () => {
  timeLimits(undisturbed, pooler.url);

  it.each([
    [
      0,
      /^callsheet: the database can't be used \(.*too many connections for role.*\): check that the database runs/,
    ],
    [1, noConnectionForWork],
  ])(
    'may have %i connections ends with a line that reports it, and the next run completes it',
    async (limit, line) => {
      await using limited = await openLimited([`connection limit ${limit}`], pooler.url);
      const ending = await bounded(limited.environment);
      expectReported(ending, line);
      expect(ending.code).toBe(69);
      await expectHealed(limited.scene, undisturbed);
    },
  );
});

describe.concurrent('a run behind PgBouncer', () => {
  it('with a pool of one ends with a line that reports how many it needs, and completes with two', async () => {
    const own = await startPgBouncer(adminUrl, { default_pool_size: 1 });
    await using scene = await openScene(own.url);
    const ending = await bounded(scene.environment);
    expectReported(ending, noConnectionForWork);
    expect(ending.code).toBe(69);
    await own.stop();
    const two = await startPgBouncer(adminUrl, { default_pool_size: 2 });
    const environment = { ...scene.environment, DATABASE_URL: two.url(scene.databaseUrl) };
    await expectHealed({ ...scene, environment }, undisturbed);
    await two.stop();
  });

  it('whose last connection is taken by another ends with a line that reports it, and the next run completes it', async () => {
    const own = await startPgBouncer(adminUrl, { default_pool_size: 2, query_wait_timeout: 2 });
    await using scene = await openScene(own.url);
    const other = new pg.Client({ connectionString: scene.environment.DATABASE_URL! });
    await other.connect();
    const ending = await runDisturbed(scene, 10, async () => {
      // Waits in the pooler: the connection of the window's transaction is the next to be free.
      void other.query('begin');
    });
    expectReported(ending, unusable);
    expect(ending.stderr).toMatch(/no response \(08P01: query_wait_timeout\)/);
    await other.end();
    await expectHealed(scene, undisturbed);
    await own.stop();
  });
});
