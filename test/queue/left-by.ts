import { expect, it } from 'vitest';
import { disagreements } from '../support/agreement.ts';
import { callsheet } from '../support/callsheet.ts';
import { readContents } from '../support/contents.ts';
import type { SimulatorOptions } from '../support/simulator.ts';
import { openWorld } from '../support/world.ts';
import { setUpQueue, startWorker } from './workers.ts';

export const days = ['--from', '2026-03-01', '--to', '2026-03-10'];

/** What the command leaves and counts, by itself or with so many workers. */
export async function leftBy(command: readonly string[], workers: number, options: SimulatorOptions = {}) {
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
  // In the order of their responses, which workers may change.
  for (const { summary } of runs)
    summary.failures.sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  for (const { summary } of runs) delete summary.steps;
  const requested = world.simulator.journal.map(({ operation, account, params }) =>
    [operation, account, params.page, params.startdate].join(' '),
  );
  const owners = await world.query(
    `select count(*)::int as rows, count(*) filter (where run_id is null)::int as nobodys from etl.windows`,
  );
  const spread = await world.query('select decision, count(*)::int from etl.responses group by 1 order by 1');
  return { code, runs, requested: requested.sort(), contents: await readContents(world), owners, spread };
}

/** Which window meets an injected fault first is a matter of order, so its words are no key. */
const placeOf = ({ account, day }: { account: string; day: string | null }) => `${account} ${day}`;

/** What a service may spoil: the injected faults, and the exit code of a run that meets them. */
export type Spoilt = readonly [title: string, faults: NonNullable<SimulatorOptions['faults']>, code: number];

const ofSummary = { operation: 'campaignSummary', times: Number.POSITIVE_INFINITY } as const;

export const neverAnswered: Spoilt = [
  'a day without a response',
  [{ ...ofSummary, day: '2026-03-04', kind: 'status-503' }],
  75,
];
export const tokenRefused: Spoilt = [
  'an account whose token is refused',
  [{ ...ofSummary, account: 'coast', kind: 'status-401' }],
  77,
];
export const answeredLate: Spoilt = [
  'a day with a response at the end of the run',
  [{ ...ofSummary, day: '2026-03-04', times: 6, kind: 'status-503' }],
  0,
];
export const requestRefused: Spoilt = [
  'a request that is refused',
  [{ ...ofSummary, day: '2026-03-04', account: 'north', kind: 'status-400' }],
  75,
];
export const invalidResponse: Spoilt = [
  'an invalid response',
  [{ ...ofSummary, day: '2026-03-04', kind: 'html' }],
  75,
];
export const everything: Spoilt = ['everything', [{ ...ofSummary, kind: 'status-500' }], 69];

/** A run whose windows so many workers sync: a test, inside a `describe`. */
export function runsTheSame(workers: number): void {
  it(`leaves, counts and requests the same as one by itself, with ${workers} of them`, async () => {
    const alone = await leftBy(['run', ...days], 0);
    expect(alone).toMatchObject({ code: 0, owners: [{ rows: 30, nobodys: 0 }] });
    expect(await leftBy(['run', ...days], workers)).toEqual(alone);
  });
}

/** An injected fault is recorded, counted and reported by workers as by a run alone: tests, inside a `describe`. */
export function spoilsTheSame(...all: Spoilt[]): void {
  it.each(all)('%s', async (_, faults, code) => {
    const command = ['run', ...days, '--no-digest'];
    const alone = await leftBy(command, 0, { faults });
    expect(alone.code).toBe(code);
    expect(comparable(await leftBy(command, 2, { faults }))).toEqual(comparable(alone));
  });
}

/** Without the number of requests and the words of refusals: which window meets an injected fault first is a matter of order. */
function comparable({ requested: _asked, spread: _spread, ...left }: Awaited<ReturnType<typeof leftBy>>) {
  const withoutWords = (_: string, value: unknown) =>
    typeof value === 'string' ? value.replace(/ \(.*\).*$/, '') : value;
  return JSON.parse(JSON.stringify(left), withoutWords);
}
