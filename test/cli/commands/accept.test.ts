import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addDays } from '../../../src/model/day.ts';
import { changing } from '../../support/changing.ts';
import { runNight } from '../../support/nights.ts';
import { inTerminal, openTerminal } from '../../support/terminal.ts';
import { openWorld, type World } from '../../support/world.ts';

// The days are those of this machine: the command reads its clock.
const today = Temporal.Now.plainDateISO('UTC').toString();
const day = addDays(today, -2);

const { changes, dataset } = changing();
let world: World;
beforeEach(async () => {
  changes.campaigns = (list) => list;
  world = await openWorld({ dataset });
  await runNight(world, addDays(today, -1));
  changes.campaigns = (list, account, on) => (account === 'valley' && on === day ? list.slice(0, 1) : list);
  await runNight(world, today);
});
afterEach(() => world.close());

const heldDays = async () =>
  (
    await world.query<{ held: string }>(
      `select concat(name, ' ', day) as held from etl.windows join warehouse.accounts using (account_id)
       where held_hash is not null`,
    )
  ).map(({ held }) => held);
const accept = ['accept', '--day', day, '--account', 'valley'];

/** Answers the question of `accept` on a terminal, each time that it is asked. Returns all that it showed. */
async function answered(...answers: readonly string[]): Promise<string> {
  const child = openTerminal(120, accept, world.environment);
  const shown = text(child.stdout);
  let read = '';
  let asked = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    read += chunk;
    if (read.split('[y/N]').length - 1 > asked) child.stdin.write(`${answers[asked++]}\n`);
  });
  const all = await shown;
  child.stdin.end();
  return all;
}

it('asks on a terminal after it has shown which figures replace which, and applies nothing without consent', async () => {
  expect(await heldDays()).toEqual([`valley ${day}`]);
  const refused = await answered('n');
  expect(refused).toMatch(/0 new, 0 changed, \d+ withdrawn/);
  expect(refused.indexOf('withdrawn')).toBeLessThan(
    refused.indexOf('Replace the earlier figures with these?'),
  );
  expect(refused).toContain('nothing was applied');
  expect(await heldDays()).toEqual([`valley ${day}`]);
  expect(await answered('maybe', 'stop', '')).toContain('nothing was applied');
  expect(await heldDays()).toEqual([`valley ${day}`]);
  await answered('yep', 'Yes');
  expect(await heldDays()).toEqual([]);
});

it('asks nothing with --yes', async () => {
  changes.campaigns = (list, account, on) => (account === 'valley' && on === day ? [] : list);
  await runNight(world, today, {}, { days: [day] });
  expect(await heldDays()).toEqual([`valley ${day}`]);
  expect(await inTerminal(120, [...accept, '--yes'], world.environment)).not.toContain('[y/N]');
  expect(await heldDays()).toEqual([]);
});
