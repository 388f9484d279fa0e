import { expect, it } from 'vitest';
import { callsheet } from '../support/callsheet.ts';
import { createRole } from '../support/role.ts';
import { bounded, expectHealed, expectReported, settings } from './disturbing.ts';
import type { Undisturbed } from './killing.ts';
import { unusable } from './outages.ts';
import { command, openScene, type Way } from './scene.ts';

/** A scene whose runs are those of a role with these limits; its quiet runs are not. */
export async function openLimited(limits: readonly string[], by: Way = (url) => url) {
  const scene = await openScene(by);
  const role = await createRole();
  for (const limit of limits) await role.alter(limit);
  const environment = { ...scene.environment, DATABASE_URL: by(role.url(scene.databaseUrl)) };
  return {
    scene,
    environment,
    async [Symbol.asyncDispose]() {
      await scene.close();
      await role.drop();
    },
  };
}

/** What bounds in time a role may have, whatever its way to the database: a test for each, inside a `describe`. */
export function timeLimits(undisturbed: Undisturbed, by?: Way): void {
  it.each([
    ['lock_timeout', /lock timeout/],
    ['statement_timeout', /statement timeout/],
  ])(
    'has a %s ends with a line that reports it while another session holds a window',
    async (setting, line) => {
      await using limited = await openLimited([`set ${setting} = '1s'`], by);
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
    await using limited = await openLimited([`set idle_in_transaction_session_timeout = '1s'`], by);
    const { scene, environment } = limited;
    // At eight requests a second a run takes four.
    const ending = await bounded({ ...environment, RATE_PER_SECOND: '8' });
    expect(ending).toMatchObject({ code: 0, stdout: '' });
    await expectHealed(scene, undisturbed);
  });
}
