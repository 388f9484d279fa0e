import { expect, it } from 'vitest';
import { bounded, expectHealed, expectReported, runDisturbed } from './disturbing.ts';
import type { Undisturbed } from './killing.ts';
import { openScene, type Scene, type Way } from './scene.ts';

export const unusable =
  /^callsheet: the database can't be used(: no response)? \(.+\): check that (it|the database) runs/;

const holdsLock = `pid in (select pid from pg_locks where relation = 'etl.run_lock'::regclass and granted)`;

const ended = (scene: Scene, which: string) =>
  scene.query(
    `select pg_terminate_backend(pid, 10000) from pg_stat_activity
     where datname = current_database() and application_name = 'callsheet' and ${which}`,
  );

/** The likeliest outage: a test, inside a `describe`. */
export function losesItsConnection(undisturbed: Undisturbed, by?: Way): void {
  it('that loses a connection in use ends with a line that reports it, and the next run completes it', async () => {
    await using scene = await openScene(by);
    const ending = await runDisturbed(scene, 10, async () => {
      const pids = await ended(scene, `state = 'idle in transaction' and not ${holdsLock}`);
      expect(pids).toHaveLength(1);
    });
    // The error of the server, or of the pooler; not that the rollback failed, too.
    expectReported(
      ending,
      /^callsheet: the database can't be used \((57P01: |08P01: server conn).+\): check that (it|the database) runs/,
    );
    await expectHealed(scene, undisturbed);
  });
}

/** What can happen to a run's way to its database, whichever that is: a test for each, inside a `describe`. */
export function outages(undisturbed: Undisturbed, by?: Way): void {
  losesItsConnection(undisturbed, by);

  it('that loses the connection of the run lock stops, reports it, and the next run completes it', async () => {
    await using scene = await openScene(by);
    const ending = await runDisturbed(scene, 10, async () => {
      expect(await ended(scene, holdsLock)).toHaveLength(1);
    });
    expectReported(ending, /^callsheet: the connection that held the run lock died: check/);
    const loaded = await scene.query(`select 1 from etl.windows where state = 'loaded'`);
    expect(loaded.length).toBeLessThan(30);
    await expectHealed(scene, undisturbed);
  });

  it('that is cut off from the database for good ends with a line that reports it, and the next run completes it', async () => {
    await using scene = await openScene(by);
    const ending = await runDisturbed(scene, 10, async (proxy) => {
      proxy.refuse(true);
      void proxy.cut();
    });
    expectReported(ending, unusable);
    await expectHealed(scene, undisturbed);
  });

  it('whose database stops responding without closing a connection ends with a line that reports it, and the next run completes it', async () => {
    await using scene = await openScene(by);
    const ending = await runDisturbed(scene, 10, async (proxy) => proxy.fallSilent());
    expectReported(ending, /^callsheet: the connection that held the run lock fell silent: check/);
    expect(ending.code).toBe(69);
    await expectHealed(scene, undisturbed);
  });

  it('that never reaches the database ends with 69 and a line that reports it', async () => {
    await using scene = await openScene(by);
    const url = new URL(scene.environment.DATABASE_URL!);
    url.port = '1';
    const ending = await bounded({ ...scene.environment, DATABASE_URL: url.href });
    expectReported(ending, unusable);
    expect(ending.code).toBe(69);
  });
}
