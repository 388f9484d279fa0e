import { describe, expect, it } from 'vitest';
import { callsheet } from '../support/callsheet.ts';
import { createRole } from '../support/role.ts';
import { bounded, expectHealed, expectReported, settings, unusable } from './disturbing.ts';
import { runUndisturbed } from './killing.ts';
import { command, openScene } from './scene.ts';

const undisturbed = await runUndisturbed(settings);

/** A scene whose runs are those of a role with these limits; its quiet runs are not. */
async function openLimited(limits: readonly string[]) {
  const scene = await openScene();
  const role = await createRole();
  for (const limit of limits) await role.alter(limit);
  const environment = { ...scene.environment, DATABASE_URL: role.url(scene.databaseUrl) };
  return {
    scene,
    environment,
    async [Symbol.asyncDispose]() {
      await scene.close();
      await role.drop();
    },
  };
}

describe.concurrent('a run whose role', () => {
  it.each([
    ['lock_timeout', /lock timeout/],
    ['statement_timeout', /statement timeout/],
  ])(
    'has a %s ends with a line that reports it while another session holds a window',
    async (setting, line) => {
      await using limited = await openLimited([`set ${setting} = '1s'`]);
      const { scene, environment } = limited;
      expect(await callsheet(command, scene.environment)).toMatchObject({ code: 0 });
      await scene.query('begin');
      await scene.query(`select from etl.windows where day = '2026-03-05' for update`);
      const ending = await bounded({ ...environment, ...settings });
      await scene.query('rollback');
      expectReported(ending, unusable);
      expect(ending.stderr).toMatch(line);
      await expectHealed(scene, undisturbed);
    },
  );

  it('ends idle transactions after a second keeps the run lock, and completes', async () => {
    await using limited = await openLimited([`set idle_in_transaction_session_timeout = '1s'`]);
    const { scene, environment } = limited;
    // At eight requests a second a run takes four.
    const ending = await bounded({ ...environment, RATE_PER_SECOND: '8' });
    expect(ending).toMatchObject({ code: 0, stdout: '' });
    await expectHealed(scene, undisturbed);
  });

  it.each([0, 1, 2])(
    'may have %i connections ends with a line that reports it, and the next run completes it',
    async (limit) => {
      await using limited = await openLimited([`connection limit ${limit}`]);
      const ending = await bounded({ ...limited.environment, CONCURRENCY: '8' });
      expectReported(ending, unusable);
      expect(ending.stderr).toMatch(/too many connections for role/);
      await expectHealed(limited.scene, undisturbed);
    },
  );
});
