import { afterAll, beforeAll, expect, it } from 'vitest';
import { replay } from '../../src/job/replay.ts';
import { addDays } from '../../src/model/day.ts';
import { disagreements } from '../support/agreement.ts';
import { atInstant, never } from '../support/nights.ts';
import { readingsOf } from '../support/readings.ts';
import { linesOf, nights, openScene, type Scene, twinNames } from '../support/twins.ts';

/*
 * Two accounts whose clients and campaigns have the same ids, over five nights. What is known of each is what would be
 * known of it alone: whatever leaks from one into the other, in whichever statement, is another line.
 */

const days = nights.map((night) => addDays(night, -1));

let scene: Scene;
let requested: string[];
/** By a second run of the last night. */
let requestedAgain: string[];
let archived: string[];
let wrong: unknown[];
let known: Record<(typeof twinNames)[number], { alone: string[]; both: string[] }>;

beforeAll(async () => {
  scene = await openScene();
  const { both, alone } = scene;
  for (const night of nights.keys()) await scene.run(night, false);
  archived = await linesOf(
    both,
    `select concat_ws(' ', a.name, day) as line
     from etl.responses join warehouse.accounts a using (account_id) where operation = 'campaignSummary'`,
  );
  requested = requests();
  wrong = await disagreements(both);
  const readings = twinNames.map(async (name) => [
    name,
    { alone: await readingsOf(alone[name], name, days), both: await readingsOf(both, name, days) },
  ]);
  known = Object.fromEntries(await Promise.all(readings));
  await both.run(4, false);
  requestedAgain = requests().slice(requested.length);
});
afterAll(() => scene[Symbol.asyncDispose]());

const requests = () =>
  scene.both.simulator.journal
    .filter(({ operation }) => operation === 'campaignSummary')
    .map(({ account, params }) => `${account} ${params.startdate!.replace(/^(..)-(..)-(.*)$/, '$3-$1-$2')}`);

it.each(twinNames)('all that is known of %s is what would be known of it alone', (name) => {
  expect(known[name].both.length).toBeGreaterThan(100);
  expect(known[name].both).toEqual(known[name].alone);
});

it('the warehouse of two accounts with the same ids agrees with itself', () => {
  expect(wrong).toEqual([]);
});

it('each response to a request for a day is in the archive', () => {
  expect(requested).not.toEqual([]);
  expect(archived).toEqual(requested.toSorted());
});

it('a second run finds nothing to do', () => {
  expect(requestedAgain).toEqual([]);
});

it('a replay changes nothing of what is loaded, a failure since then included', async () => {
  const { both } = scene;
  const readAll = () => Promise.all(twinNames.map((name) => readingsOf(both, name, days)));
  await both.query(`update etl.windows
    set failed_at = fetched_at, error = 'it failed', error_code = 'REQUEST_REFUSED'
    where day = '2026-03-11' and account_id = (select account_id from warehouse.accounts where name = 'coast')`);
  const before = await readAll();
  const all = { command: 'replay', from: days[0]!, to: nights[4]!, accounts: null };
  await atInstant(both, '2026-03-15T08:00:00Z', (app) => replay(app, all, never));
  expect(await readAll()).toEqual(before);
});
