import { expect, it, onTestFinished } from 'vitest';
import { needsAction } from '../../../src/model/alert.ts';
import { addDays, type Day, daysBetween } from '../../../src/model/day.ts';
import { command } from '../../support/command.ts';
import { runNight } from '../../support/nights.ts';
import { agreedAlerts } from '../../support/renderings.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { openWorld } from '../../support/world.ts';

// `accept`, `status` and page use the clock of this machine.
const today = Temporal.Now.plainDateISO('UTC').toString();
const ago = (days: number) => addDays(today, -days);

type Campaign = { readonly callsetid: number } & Readonly<Record<string, unknown>>;
const campaigns = (day: Day): Campaign[] =>
  [1, 2, 3, 4].map((n) => ({
    callsetid: n,
    campaign: `campaign ${n}`,
    attempts: 1_000 + 7 * Number(day.slice(8)),
    busies: 10,
    connects: 400,
    liveanswers: 20,
  }));

async function openService(names: readonly string[], answer: (day: Day) => readonly object[]) {
  const world = await openWorld(
    scriptedService(names, (_, day) => {
      const result = answer(day);
      return { body: JSON.stringify({ campaigns: result.length, result }) };
    }),
  );
  onTestFinished(() => world.close());
  return world;
}

it('forty equal accounts are one alert, with one dismissal', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `office-${index}`);
  const world = await openService(names, campaigns);
  await runNight(world, today);
  const active = (await agreedAlerts(world, world.environment)).filter(needsAction);
  expect(active.map(({ key, title, accounts }) => [key, title, accounts.length])).toEqual([
    ['SAME_CAMPAIGNS/office-0', expect.stringMatching(/^Same campaigns: 40 accounts, \d+ \w{3}$/), 40],
  ]);
  const [words] = active[0]!.steps.flatMap(({ command }) => (command?.[0] === 'status' ? [command] : []));
  expect(await command(words!, world.environment)).toMatchObject({ code: 0 });
});

it('a month that the service recalculates is one alert, and one accept, which says first what it changes', async () => {
  let isRecalculated = false;
  const world = await openService(['coast'], (day) =>
    isRecalculated ? campaigns(day).slice(0, 1) : campaigns(day),
  );
  const { environment } = world;
  const range = ['--from', ago(31), '--to', ago(1)];
  expect(await command(['backfill', ...range], environment)).toMatchObject({ code: 0 });
  isRecalculated = true;
  await runNight(world, today, environment, { days: daysBetween(ago(31), ago(1)), digest: false });

  const held = (await agreedAlerts(world, environment)).filter(({ code }) => code === 'RESPONSE_HELD');
  expect(held.map(({ key, items }) => [key, items.length])).toEqual([['RESPONSE_HELD/halved', 31]]);
  expect(held[0]!.title).toMatch(/^Figures kept: the service now reports far less \(coast, 31 days from /);
  const accept = held[0]!.steps.map((step) => step.command!).find(([word]) => word === 'accept')!;
  expect(accept).toEqual(['accept', ...range, '--account', 'coast']);

  const { code, stdout, stderr } = await command(accept, environment);
  expect([code, stderr]).toEqual([0, '']);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.filter((line) => / coast: 0 new, 0 changed, 3 withdrawn/.test(line))).toHaveLength(31);
  expect(lines.filter((line) => line.startsWith('  withdrawn'))).toHaveLength(93);
  expect(lines.at(-1)).toMatch(/^31 days from .*: .*31 days loaded/);
  const left = await agreedAlerts(world, environment);
  expect(left.filter(({ code }) => code === 'RESPONSE_HELD')).toEqual([]);
  expect(await world.query('select distinct listed_campaigns::integer from warehouse.account_days')).toEqual([
    { listed_campaigns: 1 },
  ]);
});
