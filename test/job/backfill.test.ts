import { afterEach, describe, expect, it } from 'vitest';
import { type BackfillRequest, backfill } from '../../src/job/backfill.ts';
import { type NightlyRequest, nightly } from '../../src/job/nightly.ts';
import type { Progress } from '../../src/model/run.ts';
import { disagreements } from '../support/agreement.ts';
import { atInstant, never } from '../support/nights.ts';
import { mailsLongAgo, openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const morning = '2026-03-11T06:30:00Z';
const march = (from: number, to: number, accounts: string[] | null = null): BackfillRequest => {
  const day = (date: number) => `2026-03-${String(date).padStart(2, '0')}`;
  return { command: 'backfill', from: day(from), to: day(to), accounts };
};

/** One after the other, and each requested once: the order shows, and so does an injected fault. */
const settings = { CONCURRENCY: '1', RETRIES: '0' };

/** Fills in at that morning, and gives the report, the windows that were requested, and its progress. */
async function fill(request: BackfillRequest, more: World['environment'] = {}) {
  const before = world.simulator.journal.length;
  const progress: Progress[] = [];
  const work = (app: Parameters<typeof backfill>[0]) =>
    backfill({ ...app, onProgress: (each) => each !== null && progress.push(each) }, request, never);
  const { exitCode, outcome, stats } = await atInstant(world, morning, work, { ...settings, ...more });
  expect(await disagreements(world)).toEqual([]);
  return {
    exitCode,
    outcome,
    stats,
    progress,
    requested: world.simulator.journal.slice(before).map(inShort),
  };
}

type Requested = World['simulator']['journal'][number];
const inShort = ({ operation, account, params }: Requested) =>
  operation === 'campaignSummary' ? `${params.startdate!.slice(3, 5)} ${account}` : operation;

const night = (request: Partial<NightlyRequest> = {}) => {
  const undated = { command: 'run', days: null, accounts: null, digest: true, scheduledFor: null };
  return atInstant(world, morning, (app) => nightly(app, { ...undated, ...request }, never), settings);
};

const digests = async () =>
  (
    await world.query<{ line: string }>(
      `select extract(day from day) || ' ' || state as line from etl.digests where day > '2026-01-01' order by day`,
    )
  ).map(({ line }) => line);

describe('a backfill', () => {
  it('requests the days that are over and not loaded, newest first, and no clients', async () => {
    world = await openWorld();
    expect((await fill(march(8, 9))).requested).toHaveLength(6);
    const { requested, progress, exitCode, stats } = await fill(march(6, 12));
    const names = ['north', 'coast', 'valley'];
    expect(requested).toEqual(['10', '07', '06'].flatMap((day) => names.map((name) => `${day} ${name}`)));
    expect({ exitCode, loaded: stats.windows.loaded }).toEqual({ exitCode: 0, loaded: 9 });
    expect(progress).toEqual(
      Array.from({ length: 9 }, (_, before) => ({ unit: 'window', total: 9, done: before + 1, failed: 0 })),
    );
    expect((await fill(march(6, 10))).requested).toEqual([]);
  });

  it('of one account expects its days from then on: what it could not load is shown as a gap', async () => {
    world = await openWorld({
      faults: [{ operation: 'campaignSummary', day: '2026-03-08', times: 99, kind: 'status-503' }],
    });
    expect(await fill(march(7, 10, ['north']))).toMatchObject({ exitCode: 75, outcome: 'partial' });
    const states = await world.query(
      `select day::text, state from warehouse.coverage where account = 'north' and day < '2026-03-12' order by 1`,
    );
    expect(states).toEqual([
      { day: '2026-03-07', state: 'loaded' },
      { day: '2026-03-08', state: 'failed' },
      { day: '2026-03-09', state: 'loaded' },
      { day: '2026-03-10', state: 'loaded' },
      { day: '2026-03-11', state: 'missing' },
    ]);
    const since = await world.query('select name, since::text from warehouse.accounts order by name');
    expect(since).toEqual([
      { name: 'coast', since: null },
      { name: 'north', since: '2026-03-07' },
      { name: 'valley', since: null },
    ]);
  });

  it('counts a day that loads at the second attempt as loaded', async () => {
    world = await openWorld({
      faults: [{ operation: 'campaignSummary', day: '2026-03-09', times: 1, kind: 'status-503' }],
    });
    const { progress, stats, exitCode } = await fill(march(8, 10, ['north']));
    expect(progress.map(({ done, failed }) => [done, failed])).toEqual([
      [1, 0],
      [2, 1],
      [3, 1],
      [3, 0],
    ]);
    expect({ exitCode, ...stats.windows }).toMatchObject({ exitCode: 0, loaded: 3, failed: 0 });
  });
});

describe('the digests of backfilled days', () => {
  it('are skipped but for that of yesterday, which the next run mails, and nothing else', async () => {
    world = await openWorld();
    const history = [
      '3 skipped',
      '4 skipped',
      '5 skipped',
      '6 skipped',
      '7 skipped',
      '8 skipped',
      '9 skipped',
    ];
    expect((await fill(march(3, 10))).stats.digests).toMatchObject({ built: 0, skipped: 6 });
    expect(await digests()).toEqual(history);
    await night();
    expect(await digests()).toEqual([...history, '10 built']);
  });

  it('that were built, if only for a part of the accounts, stay as they are', async () => {
    world = await openWorld({
      faults: [{ operation: 'campaignSummary', account: 'coast', times: 2, kind: 'status-503' }],
    });
    await mailsLongAgo(world);
    await night({ days: ['2026-03-08'] });
    expect((await fill(march(7, 9))).requested).toContain('08 coast');
    expect(await digests()).toEqual(['7 skipped', '8 built', '9 skipped']);
  });
});
