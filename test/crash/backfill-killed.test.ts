import { describe, expect, it } from 'vitest';
import { disagreements } from '../support/agreement.ts';
import { callsheet } from '../support/callsheet.ts';
import { readContents } from '../support/contents.ts';
import { type KillPoint, killPointsAround, randomKillPoints, seed } from './kill-points.ts';
import { expectNothingHalf, killAt, runUndisturbed, type Undisturbed } from './killing.ts';
import { openScene } from './scene.ts';

const command = ['backfill', '--from', '2026-03-01', '--to', '2026-03-10'];
const [one, eight] = [{ CONCURRENCY: '1' }, { CONCURRENCY: '8' }];
const inOrder = await runUndisturbed(one, command);
const atOnce = await runUndisturbed(eight, command);

/** Kills a backfill there, checks what it left, and gives the same command again. */
async function killAndRepeat(killPoint: KillPoint, settings: typeof one, undisturbed: Undisturbed) {
  await using scene = await openScene();
  const environment = { ...scene.environment, ...settings };
  await killAt(killPoint, command, environment);
  await expectNothingHalf(scene, undisturbed);

  const requested = scene.simulator.journal.length;
  const loaded = await scene.query(`select from etl.windows where state = 'loaded'`);
  expect(await callsheet(command, environment)).toMatchObject({ code: 0, stdout: '' });
  expect(scene.simulator.journal.length - requested, 'what was loaded is not requested again').toBe(
    30 - loaded.length,
  );
  expect(await disagreements(scene)).toEqual([]);
  expect(await readContents(scene)).toEqual(undisturbed.contents);
}

describe.concurrent(`a backfill of ${inOrder.commits.length} commits, one after the other`, () => {
  it.each(killPointsAround(inOrder.commits))('that is killed $title', async ({ killPoint }) => {
    await killAndRepeat(killPoint, one, inOrder);
  });
});

const killPoints = randomKillPoints(atOnce.requests, 10);
describe.concurrent(`a backfill of ${atOnce.requests} requests, eight at once (TEST_KILLS_SEED=${seed})`, () => {
  it.each(killPoints)('that is killed $ms ms after request $request', async (killPoint) => {
    await killAndRepeat(killPoint, eight, atOnce);
  });
});
