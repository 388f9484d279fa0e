import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ActiveAlertsInput, activeAlerts } from '../../../src/job/alerts/active-alerts.ts';

const nothing: ActiveAlertsInput = { failures: [], held: [], suspicious: [], deliveries: [], incomplete: [] };
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
  kind: ActiveAlertsInput['failures'][number]['kind'],
  account: string,
  day: string | null,
) => ({
  kind,
  account,
  day,
  line: `${account}: ${kind}: do this`,
});

test('a run without errors has no active alert', () => {
  expect(alerts({})).toEqual([]);
});

test('failures of one kind and account are one alert, with all their days; a refused token is first', () => {
  const failures = [
    ...['2026-11-19', '2026-11-20'].map((day) => failure('service unavailable', 'coast', day)),
    failure('walk incomplete', 'coast', null),
    failure('token refused', 'north', null),
    ...['2026-11-20', '2026-11-17', '2026-11-18', '2026-11-19'].map((day) =>
      failure('token refused', 'north', day),
    ),
  ];
  expect(alerts({ failures }).map(({ what, command }) => [what, command])).toEqual([
    [
      'north: token refused for 4 days from 2026-11-17 to 2026-11-20',
      'npm start -- run --from 2026-11-17 --to 2026-11-20 --account north',
    ],
    [
      'coast: service unavailable for 2026-11-19, 2026-11-20',
      'npm start -- run --from 2026-11-19 --to 2026-11-20 --account coast',
    ],
    ['coast: walk incomplete', 'npm start -- run --account coast'],
  ]);
});

test('an error that another run does not solve suggests doctor', () => {
  const failures = [failure('answer not understood', 'coast', '2026-11-20')];
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
