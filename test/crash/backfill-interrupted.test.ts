import { expect, it } from 'vitest';
import { ended, startCallsheet } from '../support/callsheet.ts';
import { openWorld } from '../support/world.ts';

it('a backfill that is told to end loads what is in flight, and gives up soon on what never comes', async () => {
  const asked: string[] = [];
  const bothAsked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const world = await openWorld({
    // Of two requests in flight, one is answered after the signal, and the other one never.
    intercept: async ({ params }) => {
      asked.push(params.get('startdate')!);
      if (asked.length === 2) bothAsked.resolve();
      await (asked.length === 1 ? answer.promise : new Promise(() => {}));
      return undefined;
    },
  });
  const days = ['--from', '2026-03-01', '--to', '2026-03-20', '--account', 'valley'];
  const child = startCallsheet(['backfill', ...days], { ...world.environment, CONCURRENCY: '2' });
  const ending = ended(child);
  await bothAsked.promise;
  const told = performance.now();
  child.kill('SIGTERM');
  answer.resolve();
  expect(await ending).toMatchObject({ code: 143 });
  expect(performance.now() - told).toBeLessThan(10_000);
  expect(asked).toEqual(['03-20-2026', '03-19-2026']);
  const loaded = await world.query(`select day::text from etl.windows where state = 'loaded'`);
  expect(loaded).toEqual([{ day: '2026-03-20' }]);
  expect(await world.query('select outcome from etl.runs')).toEqual([{ outcome: 'interrupted' }]);
  await world.close();
});
