import { expect, it } from 'vitest';
import { ended, startCallsheet } from '../support/callsheet.ts';
import { openWorld } from '../support/world.ts';

it('a backfill that gets SIGTERM loads responses in flight, and soon gives up on one that never arrives', async () => {
  const requested: string[] = [];
  const bothRequested = Promise.withResolvers<void>();
  const response = Promise.withResolvers<void>();
  const world = await openWorld({
    // Of two requests in flight, one gets its response after the signal, and the other one never does.
    intercept: async ({ params }) => {
      requested.push(params.get('startdate')!);
      if (requested.length === 2) bothRequested.resolve();
      await (requested.length === 1 ? response.promise : new Promise(() => {}));
      return undefined;
    },
  });
  const days = ['--from', '2026-03-01', '--to', '2026-03-20', '--account', 'valley'];
  const child = startCallsheet(['backfill', ...days], { ...world.environment, CONCURRENCY: '2' });
  const ending = ended(child);
  await bothRequested.promise;
  const signalledAt = performance.now();
  child.kill('SIGTERM');
  response.resolve();
  expect(await ending).toMatchObject({ code: 143 });
  expect(performance.now() - signalledAt).toBeLessThan(10_000);
  expect(requested).toEqual(['03-20-2026', '03-19-2026']);
  const loaded = await world.query(`select day::text from etl.windows where state = 'loaded'`);
  expect(loaded).toEqual([{ day: '2026-03-20' }]);
  expect(await world.query('select outcome from etl.runs')).toEqual([{ outcome: 'interrupted' }]);
  await world.close();
});
