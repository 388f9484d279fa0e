import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { callsheet } from '../support/callsheet.ts';
import { openWorld } from '../support/world.ts';
import { setUpQueue, startWorker } from './workers.ts';

it('the rate holds over the run and all its workers, in any second', async () => {
  const rate = 10;
  const world = await openWorld();
  const settings = { ...world.environment, RATE_PER_SECOND: String(rate), PAGE_LIMIT: '500' };
  await setUpQueue(world.databaseUrl);
  await using crew = new AsyncDisposableStack();
  crew.defer(world.close);
  for (let started = 0; started < 3; started++) crew.use(startWorker(settings, '--concurrency', '4'));
  // The simulator records its requests in this process: what this one was late, they may be.
  const lateness = monitorEventLoopDelay({ resolution: 1 });
  lateness.enable();
  const days = ['--from', '2026-03-01', '--to', '2026-03-10', '--no-digest'];
  expect(await callsheet(['run', ...days, '--distribute'], settings)).toMatchObject({ code: 0 });
  const late = lateness.max / 1e6;

  const at = world.simulator.journal.map((entry) => entry.at.epochMilliseconds).sort((a, b) => a - b);
  expect(at.length).toBeGreaterThan(30);
  const seconds = at.slice(rate).map((last, first) => last - at[first]!);
  // So many and one more never come within a second.
  expect(Math.min(...seconds)).toBeGreaterThanOrEqual(1_000 - late);
  const windows = world.simulator.journal.filter(({ operation }) => operation === 'campaignSummary');
  expect(windows).toHaveLength(30);
  const [starts] = await world.query(
    "select service, next_at > now() - interval '1 minute' as recent from etl.request_starts",
  );
  expect(starts).toEqual({ service: world.simulator.url, recent: true });
});
