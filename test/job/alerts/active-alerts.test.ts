import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ActiveAlertsInput, activeAlerts } from '../../../src/job/alerts/active-alerts.ts';
import type { WalkState } from '../../../src/model/walk.ts';

const nothing: ActiveAlertsInput = {
  failures: [],
  walks: new Map(),
  held: [],
  suspicious: [],
  deliveries: [],
  incomplete: [],
};
const incompleteWalk: WalkState = {
  outcome: 'incomplete',
  runDate: '2026-11-20',
  problem: 'page 7 could not be fetched',
  completeAt: '2026-11-17 06:30:00+00',
  completeRunDate: '2026-11-17',
  incompleteSince: '2026-11-18',
  unbelievable: 0,
  unbelievableSince: null,
};
const alerts = (part: Partial<ActiveAlertsInput>) => activeAlerts({ ...nothing, ...part });
const delivery = (state: 'pending' | 'failed' | 'refused' | 'unknown', recipient = 'ana@example.com') => ({
  deliveryId: 1,
  digest: 'Campaigns',
  day: '2026-11-20',
  recipient,
  state,
  reply: 'the reply',
});
const failure = (
  code: ActiveAlertsInput['failures'][number]['code'],
  account: string,
  day: string | null,
) => ({
  code,
  step: day === null ? ('clients' as const) : ('windows' as const),
  account,
  day,
  line: `${account}: ${code}: do this`,
});

test('a run without errors has no active alert', () => {
  expect(alerts({})).toEqual([]);
});

test('errors of one code and account are one alert, with all their days; a refused token is first', () => {
  const failures = [
    ...['2026-11-19', '2026-11-20'].map((day) => failure('SERVICE_UNAVAILABLE', 'coast', day)),
    failure('WALK_INCOMPLETE', 'coast', null),
    failure('TOKEN_REFUSED', 'north', null),
    ...['2026-11-20', '2026-11-17', '2026-11-18', '2026-11-19'].map((day) =>
      failure('TOKEN_REFUSED', 'north', day),
    ),
  ];
  expect(alerts({ failures }).map(({ what, command }) => [what, command])).toEqual([
    [
      'north: token refused for clients, 4 days from 2026-11-17 to 2026-11-20',
      'npm start -- run --from 2026-11-17 --to 2026-11-20 --account north',
    ],
    [
      'coast: service unavailable for 2026-11-19, 2026-11-20',
      'npm start -- run --from 2026-11-19 --to 2026-11-20 --account coast',
    ],
    ['coast: walk incomplete', 'npm start -- run --account coast'],
  ]);
});

test('a client list without a complete walk is one alert, with account, since when, cause and command', () => {
  const failures = [failure('WALK_INCOMPLETE', 'coast', null)];
  const walks = new Map([['coast', incompleteWalk]]);
  const expected = {
    key: 'clients incomplete coast',
    what: 'coast: no complete walk over the client list since 2026-11-18',
    cause:
      'page 7 could not be fetched. The last complete one is of 2026-11-17; until the next, nobody is marked absent. The next run walks again; or now:',
    command: 'npm start -- run --account coast',
  };
  expect(alerts({ failures, walks })).toEqual([expected]);
  // A run that didn't walk it says the same.
  expect(alerts({ walks })).toEqual([expected]);
});

test('a client list that failed like the days of its account has no alert of its own', () => {
  const failures = [
    failure('TOKEN_REFUSED', 'coast', null),
    failure('TOKEN_REFUSED', 'coast', '2026-11-19'),
    failure('SERVICE_UNAVAILABLE', 'north', '2026-11-19'),
    failure('WALK_INCOMPLETE', 'north', null),
  ];
  const walks = new Map([
    ['coast', incompleteWalk],
    ['north', incompleteWalk],
  ]);
  expect(alerts({ failures, walks }).map(({ what }) => what)).toEqual([
    'coast: token refused for clients, 2026-11-19',
    'north: service unavailable for 2026-11-19',
    'north: no complete walk over the client list since 2026-11-18',
  ]);
});

test("an error of an account's list of campaigns is an alert, whatever its client list has", () => {
  const failures = [
    failure('INTERNAL', 'coast', null),
    { ...failure('INTERNAL', 'coast', null), step: 'windows' as const },
  ];
  const walks = new Map([['coast', incompleteWalk]]);
  expect(alerts({ failures, walks }).map(({ what }) => what)).toEqual([
    'coast: internal error of Callsheet for its list of campaigns',
    'coast: no complete walk over the client list since 2026-11-18',
  ]);
  const together = [...failures, failure('INTERNAL', 'coast', '2026-11-19')];
  expect(alerts({ failures: together, walks }).map(({ what }) => what)).toEqual([
    'coast: internal error of Callsheet for clients, its list of campaigns, 2026-11-19',
  ]);
});

test('over half of the clients missing is an alert, beside whatever the last walk was', () => {
  const unbelievable = { unbelievable: 380, unbelievableSince: '2026-11-16' };
  const complete = { outcome: 'complete' as const, problem: null, incompleteSince: null };
  const keys = (walk: WalkState) => alerts({ walks: new Map([['coast', walk]]) }).map(({ what }) => what);
  expect(keys({ ...incompleteWalk, ...complete, ...unbelievable })).toEqual([
    'coast: 380 clients are missing since 2026-11-16',
  ]);
  expect(keys({ ...incompleteWalk, ...unbelievable })).toHaveLength(2);
});

test('an error that another run does not solve suggests doctor', () => {
  const failures = [failure('INVALID_RESPONSE', 'coast', '2026-11-20')];
  expect(alerts({ failures })[0]!.command).toBe('npm start -- doctor');
});

test('messages that wait are one alert, those that a person must repeat are one each', () => {
  const deliveries = [
    ...[delivery('failed'), delivery('pending', 'ben@example.com')],
    ...[delivery('refused'), delivery('unknown', 'ben@example.com')],
  ];
  expect(alerts({ deliveries }).map(({ key }) => key)).toEqual([
    'refused Campaigns ana@example.com',
    'unknown Campaigns ben@example.com',
    'mail waits',
  ]);
});

test('the same alert on another day keeps its key, so that it is known since when it is active', () => {
  const key = (day: string) => alerts({ deliveries: [{ ...delivery('refused'), day }] })[0]!.key;
  expect(key('2026-11-19')).toBe(key('2026-11-20'));
});

test('whatever an address is made of, a shell reads it as one word and runs nothing', () => {
  const recipient = fc.stringMatching(/^[!-~]{1,20}$/);
  const recipients = fc
    .sample(recipient, { numRuns: 50, seed: 7 })
    .concat("o'neil@x.com", '$(id)@x.com', '`id`@x.com');
  for (const each of recipients) {
    const { command } = alerts({ deliveries: [delivery('unknown', each)] })[0]!;
    const words = command.replace(/^npm start -- /, `printf '%s\\n' `);
    const read = execFileSync('sh', ['-c', words], { encoding: 'utf8' }).trimEnd().split('\n');
    expect(read).toEqual([
      'digest',
      '--day',
      '2026-11-20',
      '--digest',
      'Campaigns',
      '--to',
      each,
      '--resend',
    ]);
  }
});
