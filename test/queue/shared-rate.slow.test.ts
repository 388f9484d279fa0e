import { expect, it } from 'vitest';
import { callsheet } from '../support/callsheet.ts';
import { openWorld } from '../support/world.ts';
import { setUpQueue, startWorker } from './workers.ts';

/** So low that each reservation is of one start; several are in test/warehouse/ledger/request-starts.test.ts. */
const ratePerSecond = 7;
/** Timers may be a millisecond early, and both clocks are cut to milliseconds. */
const earlyMs = 3;

it('the run and all its workers reserve each start, and no second has more of them than the rate', async () => {
  const world = await openWorld();
  const settings = { ...world.environment, RATE_PER_SECOND: String(ratePerSecond), PAGE_LIMIT: '500' };
  await setUpQueue(world.databaseUrl);
  await world.query(`
    create table public.reservations (next_at timestamptz not null);
    create function public.note_reservation() returns trigger language plpgsql as
      'begin insert into public.reservations values (new.next_at); return null; end';
    create trigger note after insert or update on etl.request_starts
      for each row execute function public.note_reservation()`);
  await using crew = new AsyncDisposableStack();
  crew.defer(world.close);
  for (let started = 0; started < 3; started++) crew.use(startWorker(settings, '--concurrency', '4'));
  const days = ['--from', '2026-03-01', '--to', '2026-03-10', '--no-digest'];
  expect(await callsheet(['run', ...days, '--distribute'], settings)).toMatchObject({ code: 0 });

  const windows = world.simulator.journal.filter(({ operation }) => operation === 'campaignSummary');
  expect(windows).toHaveLength(30);
  const ends = await world.query<{ ms: number }>(
    'select extract(epoch from next_at)::float8 * 1000 as ms from public.reservations order by next_at',
  );
  const apart = ends.slice(1).map(({ ms }, previous) => ms - ends[previous]!.ms);
  expect(Math.min(...apart)).toBeGreaterThan(1_000 / ratePerSecond);
  // A request may be late, by as much as the machine is busy; none comes before its start.
  const at = world.simulator.journal.map((entry) => entry.at.epochMilliseconds).sort((a, b) => a - b);
  expect(at.length).toBeGreaterThan(30);
  expect(ends.length).toBeGreaterThanOrEqual(at.length);
  const reservedMs = (1_000 / ratePerSecond) * 1.05;
  const early = at.map((ms, index) => ends[index]!.ms - reservedMs - ms);
  expect(Math.max(...early)).toBeLessThan(earlyMs);
  const starts = await world.query(
    "select service, next_at > now() - interval '1 hour' as recent from etl.request_starts",
  );
  expect(starts).toEqual([{ service: world.simulator.url, recent: true }]);
});
