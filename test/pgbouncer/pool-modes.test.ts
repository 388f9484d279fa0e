import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { callsheet } from '../support/callsheet.ts';
import { startPgBouncer } from '../support/pgbouncer.ts';
import { openWorld, type World } from '../support/world.ts';

const adminUrl = inject('postgresAdminUrl');
let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** Begins commands behind PgBouncer in this mode, with this pool; it ends with the test. */
async function behind(mode: string, size: number) {
  const pooler = await startPgBouncer(adminUrl, { pool_mode: mode, default_pool_size: size });
  const environment = {
    ...world.environment,
    LOG_LEVEL: 'error',
    DATABASE_URL: pooler.url(world.databaseUrl),
  };
  return {
    run: (...args: readonly string[]) => callsheet(args, environment),
    [Symbol.asyncDispose]: () => pooler.stop(),
  };
}

describe('a pooler in statement mode', () => {
  it('is a wrong setting, which run, migrate and doctor name, with the mode that will do: 78', async () => {
    await using pooler = await behind('statement', 8);
    const named =
      /the pooler before the database gives a connection for single statements alone .*\n? *(:|→) set it to transaction mode/;
    for (const command of ['run', 'migrate'])
      expect(await pooler.run(command)).toMatchObject({ code: 78, stderr: expect.stringMatching(named) });
    expect(await pooler.run('doctor')).toMatchObject({ code: 78, stdout: expect.stringMatching(named) });
  });
});

describe('a pooler in session mode', () => {
  it('whose pool has fewer connections than a run works with is named by doctor, with how many it takes: 69', async () => {
    await using pooler = await behind('session', 3);
    expect(await pooler.run('doctor')).toMatchObject({
      code: 69,
      stdout: expect.stringMatching(
        /✗ database {2}pool +the pooler gave 3 connections of 9 within 5 s: probably a pool in session mode\n +→ .*at least 9/,
      ),
    });
  });

  it('whose pool has just one is named by the run and by doctor, which goes on to the schema: 69', async () => {
    await using pooler = await behind('session', 1);
    expect(await pooler.run('run')).toMatchObject({
      code: 69,
      stderr: expect.stringMatching(
        /the run lock got the last connection|a pooler before it has connections left: .* in session mode one more/,
      ),
    });
    const { code, stdout } = await pooler.run('doctor');
    expect(code).toBe(69);
    expect(stdout).toMatch(/✗ database {2}pool +the pooler gave no second connection/);
    expect(stdout).toMatch(/✓ database {2}schema/);
  });

  it('whose pool has enough will do', async () => {
    await using pooler = await behind('session', 9);
    expect(await pooler.run('run')).toMatchObject({ code: 0 });
    const { code, stdout } = await pooler.run('doctor');
    expect(code).toBe(0);
    expect(stdout).toMatch(/✓ database {2}pool/);
  });
});
