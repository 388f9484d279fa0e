import { describe, expect, it } from 'vitest';
import type { SimulatorOptions } from '../../src/simulator/server.ts';
import { disagreements } from '../support/agreement.ts';
import { callsheet } from '../support/callsheet.ts';
import { readContents } from '../support/contents.ts';
import { openWorld } from '../support/world.ts';
import { setUpQueue, startWorker } from './crew.ts';

const days = ['--from', '2026-03-01', '--to', '2026-03-10'];

/** What the command leaves and counts, by itself or with so many workers. */
async function leftBy(command: readonly string[], workers: number, options: SimulatorOptions = {}) {
  const world = await openWorld(options);
  await using crew = new AsyncDisposableStack();
  crew.defer(world.close);
  if (workers > 0) await setUpQueue(world.databaseUrl);
  for (let started = 0; started < workers; started++) crew.use(startWorker(world.environment));
  const args = workers > 0 ? [...command, '--distribute'] : command;
  const { code, stdout } = await callsheet(args, world.environment);
  expect(stdout).toBe('');
  expect(await disagreements(world)).toEqual([]);
  const runs = await world.query<{ summary: { steps?: unknown; failures: { line: string }[] } }>(
    'select outcome, exit_code, summary from etl.runs',
  );
  // In the order of their answers, which workers may change.
  for (const { summary } of runs)
    summary.failures.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  for (const { summary } of runs) delete summary.steps;
  const asked = world.simulator.journal.map(({ operation, account, params }) =>
    [operation, account, params.page, params.startdate].join(' '),
  );
  const owners = await world.query(
    `select count(*)::int as rows, count(*) filter (where run_id is null)::int as nobodys from etl.windows`,
  );
  const spread = await world.query('select decision, count(*)::int from etl.responses group by 1 order by 1');
  return { code, runs, asked: asked.sort(), contents: await readContents(world), owners, spread };
}

describe.concurrent('a run whose windows workers pull', () => {
  it.each([1, 3])('leaves, counts and asks the same as one by itself, with %i of them', async (workers) => {
    const alone = await leftBy(['run', ...days], 0);
    expect(alone).toMatchObject({ code: 0, owners: [{ rows: 30, nobodys: 0 }] });
    expect(await leftBy(['run', ...days], workers)).toEqual(alone);
  });
});

describe.concurrent('a backfill whose windows workers pull', () => {
  it('leaves, counts and asks the same as one by itself', async () => {
    const alone = await leftBy(['backfill', ...days], 0);
    expect(alone.code).toBe(0);
    expect(await leftBy(['backfill', ...days], 2)).toEqual(alone);
  });
});

const ofSummary = { operation: 'campaignSummary', times: Number.POSITIVE_INFINITY } as const;

describe.concurrent('what the service spoils is entered, counted and told as ever, where it is', () => {
  it.each<[string, NonNullable<SimulatorOptions['faults']>, number]>([
    ['a day that is never answered', [{ ...ofSummary, day: '2026-03-04', kind: 'status-503' }], 75],
    [
      'a day that is answered at the end of the run',
      [{ ...ofSummary, day: '2026-03-04', times: 6, kind: 'status-503' }],
      0,
    ],
    ['an account whose token is refused', [{ ...ofSummary, account: 'coast', kind: 'status-401' }], 77],
    [
      'a request that is refused',
      [{ ...ofSummary, day: '2026-03-04', account: 'north', kind: 'status-400' }],
      75,
    ],
    ['an answer that is nonsense', [{ ...ofSummary, day: '2026-03-04', kind: 'nonsense-json' }], 75],
    ['everything', [{ ...ofSummary, kind: 'status-500' }], 69],
  ])('%s', async (_, faults, code) => {
    const command = ['run', ...days, '--no-digest'];
    const alone = await leftBy(command, 0, { faults });
    expect(alone.code).toBe(code);
    expect(comparable(await leftBy(command, 2, { faults }))).toEqual(comparable(alone));
  });
});

/** Without how often was asked, and with which words it was refused: which window meets a fault first is a matter of order. */
function comparable({ asked: _asked, spread: _spread, ...left }: Awaited<ReturnType<typeof leftBy>>) {
  const withoutWords = (_: string, value: unknown) =>
    typeof value === 'string' ? value.replace(/ \(.*\):/, ':') : value;
  return JSON.parse(JSON.stringify(left), withoutWords);
}
