import { describe, expect, it } from 'vitest';
import { disagreements } from '../support/agreement.ts';
import { callsheet } from '../support/callsheet.ts';
import { readContents } from '../support/contents.ts';
import { expectNothingHalf, killAt, runUndisturbed, type Undisturbed } from './killing.ts';
import { type Moment, momentsAround, momentsAtRandom, seed } from './moments.ts';
import { openScene } from './scene.ts';

const command = ['backfill', '--from', '2026-03-01', '--to', '2026-03-10'];
const [one, eight] = [{ CONCURRENCY: '1' }, { CONCURRENCY: '8' }];
const inOrder = await runUndisturbed(one, undefined, command);
const atOnce = await runUndisturbed(eight, undefined, command);

/** Kills a backfill at that moment, looks at what it left, and gives the same command again. */
async function killAndRepeat(moment: Moment, settings: typeof one, undisturbed: Undisturbed) {
  await using scene = await openScene();
  const environment = { ...scene.environment, ...settings };
  await killAt(moment, command, environment);
  await expectNothingHalf(scene, undisturbed);

  const asked = scene.simulator.journal.length;
  const loaded = await scene.query(`select from etl.windows where state = 'loaded'`);
  expect(await callsheet(command, environment)).toMatchObject({ code: 0, stdout: '' });
  expect(scene.simulator.journal.length - asked, 'what was loaded is not asked for').toBe(30 - loaded.length);
  expect(await disagreements(scene)).toEqual([]);
  expect(await readContents(scene)).toEqual(undisturbed.contents);
}

describe.concurrent(`a backfill of ${inOrder.commits.length} commits, one after the other`, () => {
  it.each(momentsAround(inOrder.commits))('that is killed $title', async ({ moment }) => {
    await killAndRepeat(moment, one, inOrder);
  });
});

const moments = momentsAtRandom(atOnce.requests, 10);
describe.concurrent(`a backfill of ${atOnce.requests} requests, eight at once (TEST_KILLS_SEED=${seed})`, () => {
  it.each(moments)('that is killed $ms ms after request $request', async (moment) => {
    await killAndRepeat(moment, eight, atOnce);
  });
});
