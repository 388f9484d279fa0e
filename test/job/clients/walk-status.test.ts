import { beforeAll, describe, expect, it } from 'vitest';
import { addDays } from '../../../src/model/day.ts';
import { needsCompleteWalk, type WalkState } from '../../../src/model/walk.ts';
import { readWalkStates } from '../../../src/warehouse/load/client-walks.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const { client, warehouse } = await openTestWarehouse(1);

beforeAll(async () => {
  await client.query(
    `insert into warehouse.accounts (account_id, name, label, time_zone, last_expected_day) overriding system value values
      (1, 'north', 'North', 'UTC', null), (2, 'coast', 'Coast', 'UTC', null), (3, 'gone', 'Gone', 'UTC', '2026-01-01')`,
  );
});

const verdicts = new Map([
  ['c', 'complete'],
  ['m', 'complete'],
  ['x', 'changed'],
  ['i', 'incomplete'],
]);

/** Records a walk of north for each run date; coast and gone have others, which are none of its business. */
async function record(story: string, daysBetween = 1): Promise<void> {
  await client.query('truncate etl.walks cascade');
  for (const [index, letter] of [...story].entries()) {
    const runDate = addDays('2026-03-01', index * daysBetween);
    const verdict = verdicts.get(letter) ?? null;
    const reason = verdict === 'complete' ? null : `reason of ${runDate}`;
    await client.query(
      `insert into etl.walks (account_id, run_date, day, started_at, verdict, reason, implausible_missing)
       values (1, $1, $1, $2, $3, $4, $5), (2, $1, $1, $2, 'complete', null, 0), (3, $1, $1, $2, 'incomplete', 'x', 0)`,
      [runDate, `${runDate} 06:30:00+00`, verdict, reason, letter === 'm' ? 10 : 0],
    );
  }
}

function problemsOf(walk: WalkState): string[] {
  const { incompleteSince, implausibleSince } = walk;
  return [
    ...(needsCompleteWalk(walk) ? [`incomplete since ${incompleteSince!.slice(8)}`] : []),
    ...(implausibleSince === null ? [] : [`implausible since ${implausibleSince.slice(8)}`]),
  ];
}

/** One walk a run date: c(omplete), x changed, i(ncomplete), m: complete with over half missing, - not ended. */
describe('a client list', () => {
  it.each([
    ['', []],
    ['c', []],
    ['ci', ['incomplete since 02']],
    ['cii', ['incomplete since 02']],
    ['cic', []],
    ['i', ['incomplete since 01']],
    ['ci-', ['incomplete since 02']],
    // A list that keeps changing: seven run dates after the last complete walk, or after the first of all.
    ['cxxxxxx', []],
    ['cxxxxxxx', ['incomplete since 02']],
    ['cxxxxxxxc', []],
    ['xxxxxxx', []],
    ['xxxxxxxx', ['incomplete since 01']],
    // The last walk counts: one that failed heals with one that fetched every page.
    ['cix', []],
    ['cxi', ['incomplete since 02']],
    // Over half is missing until a complete walk has them again.
    ['cm', ['implausible since 02']],
    ['cmmx', ['implausible since 02']],
    ['cmi', ['incomplete since 03', 'implausible since 02']],
    ['cmc', []],
    ['cmcm', ['implausible since 04']],
  ])('walked %j has the problems %j', async (story, expected) => {
    await record(story);
    const states = await readWalkStates(warehouse);
    expect([...states.keys()].sort()).toEqual(['coast', 'north']);
    expect(problemsOf(states.get('north')!)).toEqual(expected);
    expect(problemsOf(states.get('coast')!)).toEqual([]);
  });

  it('that keeps changing is a problem by its run dates, however many days lie between them', async () => {
    await record('cxxxxxx', 7);
    expect(problemsOf((await readWalkStates(warehouse)).get('north')!)).toEqual([]);
    await record('cxxxxxxx', 7);
    expect(problemsOf((await readWalkStates(warehouse)).get('north')!)).toHaveLength(1);
  });

  it('has the reason of its last walk, and the time of its last complete one', async () => {
    await record('cxi');
    expect((await readWalkStates(warehouse)).get('north')).toMatchObject({
      verdict: 'incomplete',
      runDate: '2026-03-03',
      reason: 'reason of 2026-03-03',
      completeAt: '2026-03-01 06:30:00+00',
      completeRunDate: '2026-03-01',
    });
    await record('m');
    expect((await readWalkStates(warehouse)).get('north')).toMatchObject({
      reason: null,
      implausibleMissing: 10,
    });
  });
});
