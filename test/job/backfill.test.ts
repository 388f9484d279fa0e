import { afterEach, expect, it } from 'vitest';
import { type BackfillRequest, backfill } from '../../src/job/backfill.ts';
import { nightly } from '../../src/job/nightly.ts';
import type { Progress } from '../../src/model/run.ts';
import { disagreements } from '../support/agreement.ts';
import { atInstant, never, undated } from '../support/nights.ts';
import { mailsLongAgo, openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const morning = '2026-03-11T06:30:00Z';
const march = (from: number, to: number): BackfillRequest => {
  const day = (date: number) => `2026-03-${String(date).padStart(2, '0')}`;
  return { command: 'backfill', from: day(from), to: day(to), accounts: null };
};

/** One after the other, and each requested once: the order shows, and so does an injected fault. */
const settings = { CONCURRENCY: '1', RETRIES: '0' };

/** Fills in at that morning, and gives the report, the windows that were requested, and its progress. */
async function fill(request: BackfillRequest) {
  const before = world.simulator.journal.length;
  const progress: Progress[] = [];
  const work = (app: Parameters<typeof backfill>[0]) =>
    backfill({ ...app, onProgress: (each) => each !== null && progress.push(each) }, request, never);
  const { exitCode, stats } = await atInstant(world, morning, work, settings);
  expect(await disagreements(world)).toEqual([]);
  return {
    exitCode,
    stats,
    progress,
    requested: world.simulator.journal.slice(before).map(inShort),
  };
}

type Requested = World['simulator']['journal'][number];
const inShort = ({ operation, account, params }: Requested) =>
  operation === 'campaignSummary' ? `${params.startdate!.slice(3, 5)} ${account}` : operation;

it('a backfill requests the days that are over and not loaded, newest first, of the accounts that it names, and no clients', async () => {
  world = await openWorld();
  expect((await fill(march(8, 9))).requested).toHaveLength(6);
  const { requested, progress, exitCode, stats } = await fill(march(6, 12));
  // The accounts are in the order of this run.
  const names = ['north', 'valley', 'coast'];
  expect(requested).toEqual(['10', '07', '06'].flatMap((day) => names.map((name) => `${day} ${name}`)));
  expect({ exitCode, loaded: stats.windows.loaded }).toEqual({ exitCode: 0, loaded: 9 });
  expect(progress).toEqual(
    Array.from({ length: 9 }, (_, before) => ({ unit: 'window', total: 9, done: before + 1, failed: 0 })),
  );
  expect((await fill(march(6, 10))).requested).toEqual([]);
  expect((await fill({ ...march(5, 5), accounts: ['valley'] })).requested).toEqual(['05 valley']);
});

it('digests of backfilled days are skipped, but those that were built, if only for a part of the accounts, stay', async () => {
  world = await openWorld({
    faults: [{ operation: 'campaignSummary', account: 'coast', times: 2, kind: 'status-503' }],
  });
  await mailsLongAgo(world);
  const dated = { ...undated, days: ['2026-03-08'] };
  await atInstant(world, morning, (app) => nightly(app, dated, never), settings);
  expect((await fill(march(7, 9))).requested).toContain('08 coast');
  const digests = await world.query(
    `select distinct extract(day from day)::int as day, case when mail_id is null then 'skipped' else 'built' end as state
     from etl.mailed_periods order by day`,
  );
  expect(digests).toEqual([
    { day: 7, state: 'skipped' },
    { day: 8, state: 'built' },
    { day: 9, state: 'skipped' },
  ]);
});
