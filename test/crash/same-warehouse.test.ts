import { describe, expect, it } from 'vitest';
import { setUpQueue, startWorker } from '../queue/workers.ts';
import { disagreements } from '../support/agreement.ts';
import { callsheet } from '../support/callsheet.ts';
import { readContents } from '../support/contents.ts';
import type { SimulatorOptions } from '../support/simulator.ts';
import { openWorld } from '../support/world.ts';

const days = ['--from', '2026-03-01', '--to', '2026-03-05'];

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
  const runs = await world.query<{
    summary: { steps?: unknown; failures: { account: string; day: string | null }[] };
  }>('select outcome, exit_code, summary from etl.runs');
  for (const { summary } of runs) {
    // In the order of their responses, which workers may change.
    summary.failures.sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
    delete summary.steps;
  }
  const requested = world.simulator.journal.map(({ operation, account, params }) =>
    [operation, account, params.page, params.startdate].join(' '),
  );
  const owners = await world.query(
    `select count(*)::int as rows, count(*) filter (where run_id is null)::int as nobodys from etl.windows`,
  );
  const decisions = await world.query(
    'select decision, count(*)::int from etl.responses group by 1 order by 1',
  );
  return {
    code,
    runs,
    requested: requested.sort(),
    contents: await readContents(world, command[0] === 'run'),
    owners,
    decisions,
  };
}

const placeOf = ({ account, day }: { account: string; day: string | null }) => `${account} ${day}`;

/** Without the number of requests and the words of refusals: which window meets an injected fault first is a matter of order. */
function comparable({ requested: _asked, decisions: _made, ...left }: Awaited<ReturnType<typeof leftBy>>) {
  const withoutWords = (_: string, value: unknown) =>
    typeof value === 'string' ? value.replace(/ \(.*\).*$/, '') : value;
  return JSON.parse(JSON.stringify(left), withoutWords);
}

const ofSummary = { operation: 'campaignSummary', times: Number.POSITIVE_INFINITY } as const;

const faults: SimulatorOptions['faults'] = [
  { ...ofSummary, account: 'coast', kind: 'status-401' },
  { ...ofSummary, day: '2026-03-02', kind: 'status-503' },
  { ...ofSummary, day: '2026-03-03', account: 'north', kind: 'status-400' },
  { ...ofSummary, day: '2026-03-04', account: 'valley', kind: 'html' },
  // A response at the end of the run.
  { ...ofSummary, day: '2026-03-05', account: 'valley', times: 2, kind: 'status-503' },
];

describe.concurrent('workers leave, count and request what a process by itself does', () => {
  it.each([
    ['run', 3],
    ['backfill', 2],
  ])('for a %s with %d of them', async (command, workers) => {
    const alone = await leftBy([command, ...days], 0);
    expect(alone).toMatchObject({ code: 0, owners: [{ rows: 15, nobodys: 0 }] });
    expect(await leftBy([command, ...days], workers)).toEqual(alone);
  });

  it('for errors of the service: refused, unavailable, invalid, or over at the end of the run', async () => {
    const command = ['run', ...days, '--no-digest'];
    const alone = await leftBy(command, 0, { faults });
    expect(alone.code).toBe(77);
    const [run] = alone.runs;
    expect(run!.summary.failures).toHaveLength(9);
    expect(comparable(await leftBy(command, 2, { faults }))).toEqual(comparable(alone));
  });
});
