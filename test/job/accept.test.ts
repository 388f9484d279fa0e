import { expect, it, onTestFinished } from 'vitest';
import { accept } from '../../src/job/accept.ts';
import { addDays } from '../../src/model/day.ts';
import { atInstant, never, runNight } from '../support/nights.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { openWorld } from '../support/world.ts';

it('a day of which no record can be read any more ends the command before it asks: nothing is applied', async () => {
  let id: (n: number) => unknown = (n) => n;
  const friday = '2026-03-20';
  const world = await openWorld(
    scriptedService(['north'], (_, day) => ({
      body: JSON.stringify({
        partial: true,
        result: [{ callsetid: day === friday ? id(7) : 7, campaign: 'c', attempts: Number(day.slice(8)) }],
      }),
    })),
  );
  onTestFinished(() => world.close());
  const days = [addDays(friday, -1), friday];
  await runNight(world, addDays(friday, 1), {}, { days });
  const states = () => world.query('select day::text, state from etl.windows order by day');
  const before = await states();
  expect(before).toEqual(days.map((day) => ({ day, state: 'provisional' })));
  id = (n) => `CS-${n}`;
  const accepted = atInstant(world, `${friday}T20:00:00Z`, (app) =>
    accept(
      app,
      { command: 'accept', days, accounts: null },
      never,
      () => {},
      async () => true,
    ),
  );
  await expect(accepted).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
  expect(await states()).toEqual(before);
});
