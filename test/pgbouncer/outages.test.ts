import { afterAll, describe, expect, inject, it } from 'vitest';
import { bounded, expectHealed, expectReported, runDisturbed, settings } from '../crash/disturbing.ts';
import { runUndisturbed } from '../crash/killing.ts';
import { outages, unusable } from '../crash/outages.ts';
import { openScene } from '../crash/scene.ts';
import { callsheet } from '../support/callsheet.ts';
import { reached } from '../support/database.ts';
import { startPgBouncer } from '../support/pgbouncer.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';

const adminUrl = inject('postgresAdminUrl');
const pooler = await startPgBouncer(adminUrl);
afterAll(() => pooler.stop());
const undisturbed = await runUndisturbed(settings, pooler.url);

describe.concurrent('a run behind PgBouncer', () => {
  outages(undisturbed, pooler.url);

  it('whose pooler is killed and restarted ends with a line that reports it, and the next run completes it', async () => {
    const own = await startPgBouncer(adminUrl);
    await using scene = await openScene(own.url);
    const ending = await runDisturbed(scene, 10, () => own.restart());
    expectReported(
      ending,
      /^callsheet: (the database can't be used|the connection that held the run lock died)/,
    );
    await expectHealed(scene, undisturbed);
    await own.stop();
  });

  it('whose pooler can no longer reach Postgres ends with 69 and a line that reports it, and the next run completes it', async () => {
    const server = await startPostgresProxy(adminUrl);
    const own = await startPgBouncer(server.url, { server_login_retry: 1 });
    await using scene = await openScene(own.url);
    // Whom a pooler has let in once it goes on letting in.
    expect(await callsheet(['status'], scene.environment)).toMatchObject({ code: 75 });
    server.refuse(true);
    await server.cut();
    const ending = await bounded(scene.environment);
    expectReported(ending, unusable);
    expect(ending.code).toBe(69);
    server.refuse(false);
    await reached(scene.environment.DATABASE_URL!);
    await expectHealed(scene, undisturbed);
    await own.stop();
    await server.close();
  });
});
