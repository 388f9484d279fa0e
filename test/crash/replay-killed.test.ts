import { afterAll, describe, expect, it } from 'vitest';
import { disagreements } from '../support/agreement.ts';
import { callsheet } from '../support/callsheet.ts';
import { type KillPoint, killPointsAround, randomKillPoints, seed } from './kill-points.ts';
import { killAt, lockFreed, observe } from './killing.ts';
import { command, halfMended, makeHistory, openCopy, readEverything, spoil } from './replay-scene.ts';

const history = await makeHistory();
afterAll(() => history.drop());
const [one, eight] = [{ CONCURRENCY: '1' }, { CONCURRENCY: '8' }];
const inOrder = await replayUndisturbed(one);
const atOnce = await replayUndisturbed(eight);

/** A replay of what is spoilt gives back what was there, to the microsecond. */
async function replayUndisturbed(settings: typeof one) {
  await using copy = await openCopy(history);
  const contents = await readEverything(copy);
  expect(contents.filter((line) => line.includes('restatements ')).length).toBeGreaterThan(9);
  await spoil(copy);
  expect(await readEverything(copy)).not.toEqual(contents);
  const traffic = await observe(command, { ...copy.environment, ...settings });
  expect(await readEverything(copy)).toEqual(contents);
  return { ...traffic, contents };
}

async function killAndRepeat(killPoint: KillPoint, settings: typeof one, undisturbed: typeof inOrder) {
  await using copy = await openCopy(history);
  await spoil(copy);
  const environment = { ...copy.environment, ...settings };
  await killAt(killPoint, command, environment);
  expect(await disagreements(copy)).toEqual([]);
  expect(await halfMended(copy)).toEqual([]);

  await lockFreed(copy);
  expect(await callsheet(command, environment)).toMatchObject({ code: 0, stdout: '' });
  expect(await disagreements(copy)).toEqual([]);
  expect(await readEverything(copy)).toEqual(undisturbed.contents);
}

describe.concurrent(`a replay of ${inOrder.commits.length} commits, one after the other`, () => {
  it.each(killPointsAround(inOrder.commits))('that is killed $title', async ({ killPoint }) => {
    await killAndRepeat(killPoint, one, inOrder);
  });
});

const killPoints = randomKillPoints(atOnce.requests, 6);
describe.concurrent(`a replay of ${atOnce.requests} requests, eight at once (TEST_KILLS_SEED=${seed})`, () => {
  it.each(killPoints)('that is killed $ms ms after request $request', async (killPoint) => {
    await killAndRepeat(killPoint, eight, atOnce);
  });
});
