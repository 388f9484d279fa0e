import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { consecutiveDays, runTwice } from '../crash/pairs.ts';
import { openScene, type Scene } from '../crash/scene.ts';
import { disagreements } from '../support/agreement.ts';
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

it.each(consecutiveDays(8))(
  'of two runs of %s behind PgBouncer one works, and the other ends with 75',
  async (day) => {
    await runTwice(scene, day);
    expect(await disagreements(scene)).toEqual([]);
  },
);
