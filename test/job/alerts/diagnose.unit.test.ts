import { Command } from 'commander';
import { describe, expect, it, test } from 'vitest';
import { addAccept } from '../../../src/cli/commands/accept.ts';
import { addBackfill } from '../../../src/cli/commands/backfill.ts';
import { addCampaigns } from '../../../src/cli/commands/campaigns.ts';
import { addClients } from '../../../src/cli/commands/clients.ts';
import { addDigest } from '../../../src/cli/commands/digest.ts';
import { addDoctor } from '../../../src/cli/commands/doctor.ts';
import { addMigrate } from '../../../src/cli/commands/migrate.ts';
import { addReplay } from '../../../src/cli/commands/replay.ts';
import { addRun } from '../../../src/cli/commands/run.ts';
import { addStatus } from '../../../src/cli/commands/status.ts';
import type { Context } from '../../../src/cli/context.ts';
import { composeAlert } from '../../../src/digest/compose-alert.ts';
import type { AccountState, WarehouseState } from '../../../src/job/alerts/state.ts';
import { type ActiveAlert, alertCodes, countedHits, hitLine, needsAction } from '../../../src/model/alert.ts';
import type { Anomaly } from '../../../src/model/anomaly.ts';
import { type ErrorCode, errorCatalogue } from '../../../src/model/errors.ts';
import type { DayState } from '../../../src/model/window.ts';
import {
  account,
  dayState,
  diagnosed,
  failedDay,
  heldDays,
  incompleteWalk,
  lastRun,
  message,
  missingDays,
  ofAccount,
  running,
  wellState,
} from './states.ts';

const down = 'the service responded with status 503 on every attempt: Down for maintenance.';
const failed = (code: ErrorCode, reason: string, ...days: string[]) =>
  days.map((day) => failedDay(day, code, reason));
const offices = (count: number, changes: Partial<AccountState>) =>
  Array.from({ length: count }, (_, index) =>
    account({ name: `office-${index + 1}`, label: `Office ${index + 1}`, ...changes }),
  );
const outage = { days: failed('SERVICE_UNAVAILABLE', down, '2026-11-20') };
/** A day whose figures aren't confirmed, and why. */
const provisional = (day: string, ...anomalies: Anomaly[]) =>
  dayState(day, { state: 'provisional', anomalies });
const announced: Anomaly = { code: 'announced', announced: 9, listed: 4, known: false };
const partial: Anomaly = { code: 'error', text: 'partial data', known: false };
const unreported: Anomaly = { code: 'unreported', counts: ['liveAnswers'], known: false };
const noCalls: Anomaly = { code: 'no_calls', known: false };
const unreadable: Anomaly = { code: 'unreadable', records: 2, known: false };
const sameFigures: Anomaly = { code: 'same_figures', datesIgnored: false, known: false };
/** A confirmed day with anomalies that are the way of the service. */
const confirmed = (day: string, ...anomalies: Anomaly[]) =>
  dayState(day, { anomalies: anomalies.map((anomaly) => ({ ...anomaly, known: true })) });
/** A confirmed day, on its first night. */
const fewAttempts = (attempts: number | null, typicalAttempts: number | null) =>
  dayState('2026-11-20', {
    settling: true,
    attempts,
    typicalAttempts,
  });
const rejects = (day: string | null) => ({
  operation: day === null ? 'getClients' : 'campaignSummary',
  firstAt: '2026-11-21 06:30:00+00',
  latestAt: '2026-11-21 06:30:00+00',
  day,
  reason: 'busies: not a whole number',
  records: 2,
  example: '{"callsetid": 7}',
});
const errorOfDigest = {
  digest: 'Campaigns',
  every: 'day' as const,
  day: '2026-11-20',
  code: 'INTERNAL' as const,
  detail: 'invalid byte sequence',
  isBuilt: false,
};

/** An alert as its reader gets it. */
const inFull = ({ key, severity, retried, title, cause, hits, steps }: ActiveAlert) =>
  [
    `${severity} ${key}${retried ? ', retried' : ''}`,
    title,
    cause,
    ...countedHits({ hits }).map(hitLine),
    ...steps.map(({ text, command }) => (command === null ? text : `${text}: ${command.join(' ')}`)),
  ].join('\n');

const coast = (changes: Partial<AccountState>) => ({ accounts: [account({ label: 'Coast', ...changes })] });

const table: readonly (readonly [what: string, state: Partial<WarehouseState>])[] = [
  [
    'a service that is down, for forty accounts: it is one cause, and waiting heals it',
    {
      accounts: offices(40, {
        ...outage,
        walk: { ...incompleteWalk, reason: down, errorCode: 'SERVICE_UNAVAILABLE' },
      }),
    },
  ],
  [
    'a service that can not be reached: an address can cause that',
    coast({
      days: failed(
        'SERVICE_UNAVAILABLE',
        "the service can't be reached at https://x.example (ECONNREFUSED)",
        '2026-11-20',
      ),
    }),
  ],
  [
    'too many requests',
    coast({
      days: failed(
        'SERVICE_UNAVAILABLE',
        'the service responded with status 429 on every attempt: slow down',
        '2026-11-20',
      ),
    }),
  ],
  [
    'a refused token, which no run mends, and its days are loaded from before',
    coast({
      days: [
        failedDay(
          '2026-11-20',
          'TOKEN_REFUSED',
          'the service refuses the session token (status 401: expired)',
          'loaded',
        ),
      ],
      token: { place: 'the file /run/secrets/coast', isReadAtStart: false },
    }),
  ],
  [
    'a client list that is refused, while campaigns load',
    coast({
      walk: { ...incompleteWalk, reason: 'status 403', errorCode: 'TOKEN_REFUSED', isRefusedAlone: true },
    }),
  ],
  [
    'two accounts with the same campaigns',
    {
      accounts: [
        account({ label: 'Coast', token: { place: 'the file /run/secrets/coast', isReadAtStart: false } }),
        account({
          name: 'valley',
          label: 'Valley',
          token: { place: 'the file /run/secrets/valley', isReadAtStart: false },
        }),
      ],
      sameCampaigns: [
        {
          accounts: [
            { name: 'coast', label: 'Coast' },
            { name: 'valley', label: 'Valley' },
          ],
          days: ['2026-11-20'],
        },
      ],
    },
  ],
  [
    'forty accounts with the same campaigns, as one alert',
    {
      accounts: offices(40, {}).map((each) => ({
        ...each,
        token: { place: `the file /run/secrets/${each.name}`, isReadAtStart: false },
      })),
      sameCampaigns: [
        {
          accounts: Array.from({ length: 40 }, (_, index) => ({
            name: `office-${index + 1}`,
            label: `Office ${index + 1}`,
          })),
          days: ['2026-11-20'],
        },
      ],
    },
  ],
  ['an incomplete walk', coast({ walk: incompleteWalk })],
  ['days that no run fetches any more', coast({ completeThrough: '2026-07-31' })],
  ['days that nobody attempted', coast({ days: missingDays('2026-11-18', '2026-11-19') })],
  ['held responses', coast({ days: heldDays('2026-11-18', '2026-11-19', '2026-11-20') })],
  [
    'a count that announces more campaigns than are listed',
    coast({ days: [provisional('2026-11-20', announced)] }),
  ],
  ['an error beside the campaigns', coast({ days: [provisional('2026-11-20', partial)] })],
  ['a count that most campaigns leave out', coast({ days: [provisional('2026-11-20', unreported)] })],
  ['no calls', coast({ days: [provisional('2026-11-20', noCalls)] })],
  [
    'the same figures on two days',
    coast({ days: [provisional('2026-11-19', sameFigures), provisional('2026-11-20', sameFigures)] }),
  ],
  [
    'a service that ignores dates',
    coast({
      days: ['2026-11-19', '2026-11-20'].map((day) =>
        provisional(day, { ...sameFigures, datesIgnored: true }),
      ),
    }),
  ],
  [
    'an account without campaigns, in its first week',
    coast({ since: '2026-11-16', daysWithoutCampaigns: 5 }),
  ],
  ['an account without campaigns, after it', coast({ since: '2026-11-01', daysWithoutCampaigns: 20 })],
  ['lists of a round length', coast({ cutAt: 1_000 })],
  [
    'the same anomaly on days of forty accounts, as one alert',
    {
      accounts: offices(40, {
        days: [
          provisional('2026-11-19', { ...announced, announced: 8 }),
          provisional('2026-11-20', announced),
        ],
      }),
    },
  ],
  ['a day with far fewer attempts than usual', coast({ days: [fewAttempts(39, 100)] })],
  ['the service’s way, on confirmed days', coast({ days: [confirmed('2026-11-19', announced)] })],
  [
    'the service’s way with several accounts',
    {
      accounts: [
        account({ name: 'coast', days: [confirmed('2026-11-19', announced)] }),
        account({ name: 'valley', days: [confirmed('2026-11-20', unreported, partial)] }),
      ],
    },
  ],
  [
    'records that can not be read, with a day that is provisional for it: that is one cause',
    coast({ quarantined: [rejects('2026-11-20')], days: [provisional('2026-11-20', unreadable)] }),
  ],
  [
    'records that repeat loaded ones: nothing is missing',
    coast({ quarantined: [rejects('2026-11-19'), rejects('2026-11-20')] }),
  ],
  ['records of the client list', coast({ quarantined: [rejects(null)] })],
  [
    'over half of the clients missing',
    coast({
      walk: {
        ...incompleteWalk,
        verdict: 'complete',
        implausibleMissing: 380,
        implausibleSince: '2026-11-16',
      },
    }),
  ],
  ['a refused recipient', { deliveries: [message({ reply: '550 5.1.1 mailbox unavailable' })] }],
  [
    'a message that was given up',
    { deliveries: [message({ reply: '550 5.7.1 rejected by policy', cause: 'policy' })] },
  ],
  ['mail that may have arrived', { deliveries: [message({ state: 'unknown', reply: null })] }],
  [
    'mail that waits',
    { deliveries: [message({ state: 'failed', reply: 'connect ECONNREFUSED 192.0.2.25:587' })] },
  ],
  [
    'mail that waits for a server that leaves messages unanswered',
    {
      deliveries: [
        message({ state: 'pending', reply: 'the server closed the connection', cause: 'unreachable' }),
      ],
      mailServer: { testAddress: 'ops@example.com', isLeftAlone: true },
    },
  ],
  [
    'digests that went out incomplete',
    {
      incomplete: ['2026-11-19', '2026-11-20'].map((day) => ({
        name: 'Campaigns',
        every: 'day',
        day,
        lacking: ['Coast'],
      })),
    },
  ],
  ['a digest that could not be built', { lastRun: lastRun({ digestErrors: [errorOfDigest] }) }],
  [
    'several digests that could not be built',
    {
      lastRun: lastRun({
        digestErrors: ['Campaigns', 'Coast', 'North', 'West'].map((digest) => ({ ...errorOfDigest, digest })),
      }),
    },
  ],
  [
    'an error that ended the last run',
    {
      lastRun: lastRun({
        error: {
          code: 'SCHEMA_TOO_OLD',
          detail: 'the schema of the warehouse lacks 1 migration, from 0002_add',
        },
      }),
    },
  ],
  ['a machine whose clock is a day ahead', { clockAheadMs: 86_400_000 }],
  ['a machine whose clock is eleven minutes behind', { clockAheadMs: -660_000 }],
  [
    'a process that runs on an older file',
    {
      recorded: new Map([
        [
          'FILES_CHANGED',
          { title: '/srv/.env changed on 21 Nov at 10:51', since: '2026-11-21', dismissed: [] },
        ],
      ]),
    },
  ],
  ['a run that was interrupted', { lastRun: lastRun({ isInterrupted: true }) }],
  ['a warehouse before its first run', { accounts: [account({ since: null })], lastRun: null }],
];

test('where nothing is wrong, there is no alert', () => {
  expect(diagnosed({})).toEqual([]);
});

test('clocks that differ by ten minutes are left alone', () => {
  expect(diagnosed({ clockAheadMs: 600_000 })).toEqual([]);
  expect(diagnosed({ clockAheadMs: -600_000 })).toEqual([]);
});

test('a list is said to be refused alone only if campaigns came since', () => {
  const walk = { ...incompleteWalk, reason: 'status 401', errorCode: 'TOKEN_REFUSED' } as const;
  const [alert] = diagnosed(coast({ walk }));
  expect(alert).toMatchObject({ key: 'TOKEN_REFUSED', cause: expect.not.stringContaining('ampaigns') });
});

test('each cause is said as somebody read it last', async () => {
  const said = table.map(([what, state]) => `# ${what}\n\n${diagnosed(state).map(inFull).join('\n\n')}\n`);
  await expect(said.join('\n')).toMatchFileSnapshot('alerts.txt');
});

/** Each error of the catalogue, wherever it may be. */
const errors = (Object.keys(errorCatalogue) as ErrorCode[]).map((code): Partial<WarehouseState> => {
  const error = { code, detail: "it's <b>odd</b>" };
  return {
    ...coast({
      days: failed(code, error.detail, '2026-11-18', '2026-11-20'),
      walk: { ...incompleteWalk, errorCode: code },
    }),
    lastRun: lastRun({ error, digestErrors: [{ ...errorOfDigest, every: 'week', code }] }),
  };
});

/** Every two of these at once. */
const wrong = [...table.map(([, state]) => state), ...errors];
const together = wrong.flatMap((one, index) =>
  wrong.slice(index + 1).map((other): WarehouseState => {
    const named = (accounts: readonly AccountState[] = [], prefix = '') =>
      accounts.map((each) => ({ ...each, name: `${prefix}${each.name}` }));
    return {
      ...wellState,
      ...one,
      ...other,
      // Names of accounts that look like something else.
      accounts: [...named(one.accounts), ...named(other.accounts, 'run ')],
      deliveries: [...(one.deliveries ?? []), ...(other.deliveries ?? [])],
    };
  }),
);

describe('whatever is wrong at once', () => {
  it('each alert has a title, a cause, a code of the list and a key of its own, the graver first', () => {
    const severities = ['error', 'warning', 'note'];
    for (const state of together) {
      const alerts = diagnosed(state);
      const keys = alerts.map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
      for (const { code, title, cause, affects } of alerts) {
        expect(alertCodes).toContain(code);
        expect(cause).toMatch(/[.!?"}]$/);
        expect(`${title} ${cause}`).not.toMatch(/undefined|null|NaN| {2}|\.\./);
        expect(affects.length).toBeGreaterThan(0);
      }
      const ranks = alerts.map(({ severity }) => severities.indexOf(severity));
      expect(ranks).toEqual([...ranks].sort());
    }
  });

  it('each alert that needs somebody says what to do, by a step or a command that our own program reads', () => {
    const program = new Command('callsheet').exitOverride().configureOutput({ writeErr: () => {} });
    const commands = [addAccept, addBackfill, addCampaigns, addClients, addDigest, addDoctor];
    for (const add of [...commands, addMigrate, addReplay, addRun, addStatus])
      add(program, { environment: {} } as Context);
    for (const command of program.commands) command.action(() => {});
    for (const { steps, severity } of together.flatMap((state) => diagnosed(state))) {
      if (severity !== 'note') expect(steps.length).toBeGreaterThan(0);
      for (const { command } of steps) if (command !== null) program.parse(command, { from: 'user' });
    }
  });

  it('who dismisses all alerts has notes alone, and each is active again once it affects more', () => {
    for (const state of together) {
      const before = diagnosed(state);
      const recorded = (dismissed: (alert: ActiveAlert) => readonly string[]) =>
        diagnosed({
          ...state,
          recorded: new Map(
            before.map((each) => [
              each.key,
              {
                title: each.title,
                since: state.recorded?.get(each.key)?.since ?? null,
                dismissed: dismissed(each),
              },
            ]),
          ),
        });
      const acknowledged = recorded(({ affects }) => affects);
      expect(acknowledged.filter(needsAction)).toEqual([]);
      expect(acknowledged.map(({ key }) => key).sort()).toEqual(before.map(({ key }) => key).sort());
      const severityOf = new Map(before.map(({ key, severity }) => [key, severity]));
      for (const { key, severity } of recorded(({ affects }) => affects.slice(1)))
        expect(severity).toBe(severityOf.get(key));
    }
  });
});

describe('one cause is one alert', () => {
  it('whatever it hit: eighty accounts take one screen of mail, two thousand 40 KB', () => {
    for (const count of [80, 2_000]) {
      const accounts = offices(count, { days: [...heldDays('2026-11-19'), ...outage.days] });
      const alerts = diagnosed({ accounts, deliveries: [message({ reply: '550 no' })] }).filter(needsAction);
      expect(alerts).toHaveLength(3);
      const { text, html } = composeAlert(
        { begun: alerts, earlier: [], resolved: [] },
        { installation: 'x', pageUrl: null },
      );
      expect(text.split('\n').length).toBeLessThan(30);
      expect(html.length).toBeLessThan(40_000);
    }
  });

  it('and two answers of the service are two, also where the days are the same', () => {
    const accounts = [
      account({ name: 'north', ...outage }),
      account({ name: 'coast', days: failed('SERVICE_UNAVAILABLE', 'status 500: oh', '2026-11-20') }),
    ];
    expect(diagnosed({ accounts }).map(({ key }) => key)).toEqual([
      'SERVICE_UNAVAILABLE/503',
      'SERVICE_UNAVAILABLE/500',
    ]);
  });

  it('and what no run mends comes first', () => {
    const accounts = [
      account({ name: 'north', ...outage }),
      account({ name: 'coast', days: failed('TOKEN_REFUSED', 'status 401', '2026-11-20') }),
    ];
    expect(diagnosed({ accounts }).map(({ code }) => code)).toEqual(['TOKEN_REFUSED', 'SERVICE_UNAVAILABLE']);
  });

  it('its commands name up to five accounts, and take all if there are more', () => {
    const lacking = provisional('2026-11-20', unreadable);
    const commandOf = (count: number) => {
      const [alert] = diagnosed({
        accounts: offices(count, { quarantined: [rejects('2026-11-20')], days: [lacking] }),
      });
      return alert!.steps[0]!.command!.join(' ');
    };
    expect(commandOf(2)).toBe('run --day 2026-11-20 --account office-1 --account office-2');
    expect(commandOf(6)).toBe('run --day 2026-11-20');
  });

  it('a refused token of many accounts is to be written to the place of each', () => {
    const refused = { days: failed('TOKEN_REFUSED', 'status 401', '2026-11-20') };
    const stepOf = (count: number) => {
      const accounts = offices(count, refused).map((each) => ({
        ...each,
        token: { place: each.name, isReadAtStart: false },
      }));
      return diagnosed({ accounts: [...accounts, account()] })[0]!.steps[0]!.text;
    };
    expect(stepOf(2)).toBe('Write the new tokens to office-1 and office-2');
    expect(stepOf(4)).toBe('Write the new tokens where ACCOUNTS_FILE names them');
  });

  it('days are counted for each account: those that only some lack are no list for all', () => {
    const days = (...lacking: string[]) => ({
      isTokenRefused: true,
      days: lacking.flatMap((day) => failed('TOKEN_REFUSED', 'status 401', day)),
    });
    const accounts = [
      ...offices(5, days('2026-11-20')),
      account({ name: 'late', label: 'Late', ...days('2026-11-19', '2026-11-20') }),
      account(),
    ];
    const [alert] = diagnosed({ accounts });
    expect(alert!.title).toBe('Token refused: 6 accounts, between 19 Nov and 20 Nov');
    expect(alert!.explanation).toContain(
      '20 Nov is missing from the figures of 6 accounts, 19 Nov from those of 1, and the digests say so.',
    );
  });

  it('records that are dismissed for one reason need somebody again for another', () => {
    const reasons = ['callsetId is missing', 'attempts is not a number'];
    const found = (...kept: string[]) => ({
      quarantined: kept.map((reason) => ({ ...rejects('2026-11-20'), reason })),
      days: [provisional('2026-11-20', unreadable)],
    });
    const [before] = ofAccount(found(reasons[0]!));
    const recorded = new Map([
      [before!.key, { title: before!.title, since: '2026-11-20', dismissed: before!.affects }],
    ]);
    expect(ofAccount(found(reasons[0]!), { recorded }).filter(needsAction)).toEqual([]);
    expect(ofAccount(found(...reasons), { recorded }).filter(needsAction)).toHaveLength(1);
  });

  it('no step says to run while a run is running', () => {
    const accounts = [account({ days: failed('SERVICE_UNAVAILABLE', 'status 503', '2026-11-20') })];
    const running = { run: 8, command: 'schedule', startedAt: Temporal.Instant.from('2026-11-21T11:00:00Z') };
    const [alert] = diagnosed({ accounts, running });
    expect(alert!.steps).toEqual([
      { text: 'Once the current run has ended, if this is still here', command: ['run'] },
    ]);
  });

  it('the refused tokens of all accounts may be a fault of the service, which comes first', () => {
    const refused = { days: failed('TOKEN_REFUSED', 'status 401', '2026-11-20') };
    const [alert, ...more] = diagnosed({ accounts: offices(4, refused) });
    expect(more).toEqual([]);
    expect(alert!.explanation).toContain(
      'either the service has a fault, which passes, or the tokens have expired',
    );
    expect(alert!.steps.map((step) => step.text)).toEqual([
      'To see whether the service still refuses them',
      expect.stringMatching(/^Write the new tokens /),
      expect.stringMatching(/^If schedule is running, restart it/),
      'Then',
    ]);
  });

  it('a token that was refused for the first time is a matter of the next run, not of a new token', () => {
    const refused = { isTokenRefused: false, days: failed('TOKEN_REFUSED', 'status 401', '2026-11-20') };
    const [alert] = diagnosed({ accounts: [...offices(1, refused), account()] });
    expect(alert).toMatchObject({ key: 'TOKEN_REFUSED/unproven', retried: true });
    expect(alert!.steps.map((step) => step.text).join()).not.toContain('token');
  });
});

test('a title names the days that the figures lack, not all that failed', () => {
  const days = [
    failedDay('2026-11-18', 'SERVICE_UNAVAILABLE', down, 'loaded'),
    failedDay('2026-11-19', 'SERVICE_UNAVAILABLE', down, 'loaded'),
    failedDay('2026-11-20', 'SERVICE_UNAVAILABLE', down),
  ];
  const [alert] = ofAccount({ days });
  expect(alert!.title).toBe('Service unavailable (status 503): coast, 20 Nov');
  expect(alert!.affects).toEqual(['coast 2026-11-18', 'coast 2026-11-19', 'coast 2026-11-20']);
  expect(ofAccount({ days: days.slice(0, 2) })[0]!.title).toMatch(/: coast, 18 Nov and 19 Nov$/);
});

describe('held days', () => {
  const [first, second, third] = heldDays('2026-11-18', '2026-11-19', '2026-11-20');
  const emptied = { ...second!, heldCode: 'emptied' as const, heldReason: 'it would empty it' };

  it('with different reasons are different alerts, each with a dismissal of its own', () => {
    const keys = ['RESPONSE_HELD/halved', 'RESPONSE_HELD/emptied'];
    const days = [first!, emptied, third!];
    expect(ofAccount({ days }).map(({ key, affects }) => [key, affects.length])).toEqual([
      [keys[0], 2],
      [keys[1], 1],
    ]);
    const recorded = new Map([
      ['RESPONSE_HELD/emptied', { title: 'its title', since: null, dismissed: ['coast 2026-11-19'] }],
    ]);
    expect(ofAccount({ days }, { recorded }).map(({ key, dismissed }) => [key, dismissed])).toEqual([
      [keys[0], false],
      [keys[1], true],
    ]);
  });

  it('are accepted at once, and the step says so where that accepts other days, too', () => {
    const acceptOf = (days: readonly DayState[]) =>
      ofAccount({ days })[0]!.steps.find(({ command }) => command?.[0] === 'accept');
    expect(acceptOf([first!, second!, third!])).toEqual({
      text: 'To replace the earlier figures by all 3',
      command: ['accept', '--from', '2026-11-18', '--to', '2026-11-20', '--account', 'coast'],
    });
    expect(acceptOf([first!, emptied, third!])!.text).toBe(
      'To replace the earlier figures by all 2, and 1 of other alerts',
    );
  });
});

describe('days whose figures are not confirmed', () => {
  const keysOf = (changes: Partial<AccountState>) => ofAccount(changes).map(({ key }) => key);

  it('are an alert for each cause: a day with several signs has the one that tells most', () => {
    const known = { ...announced, known: true };
    const days = [
      provisional('2026-11-18', partial),
      provisional('2026-11-19', known, { ...announced, announced: 11 }, partial),
      provisional('2026-11-20', known, noCalls),
    ];
    expect(ofAccount({ days }).map(({ key, affects }) => [key, affects])).toEqual([
      ['DAYS_PROVISIONAL/error', ['coast 2026-11-18', 'coast 2026-11-19']],
      ['DAYS_PROVISIONAL/no_calls', ['coast 2026-11-20']],
    ]);
  });

  it('are none of their own where the day was not over, or the alert about records says it', () => {
    expect(keysOf({ days: [{ ...provisional('2026-11-20', partial), isOver: false }] })).toEqual([
      'DAYS_NOT_LOADED',
    ]);
    const day = provisional('2026-11-20', unreadable);
    expect(keysOf({ days: [day], quarantined: [rejects('2026-11-20')] })).toEqual(['RECORDS_QUARANTINED']);
    expect(keysOf({ days: [day], quarantined: [rejects('2026-11-19')] })).toEqual([
      'DAYS_PROVISIONAL/unreadable',
      'RECORDS_QUARANTINED',
    ]);
  });
});

describe('anomalies of confirmed days', () => {
  it('are one alert over all accounts, with those of the newest day of each that has any', () => {
    const [alert, ...others] = diagnosed({
      accounts: [
        account({
          name: 'coast',
          days: [confirmed('2026-11-18', partial), confirmed('2026-11-19', announced)],
        }),
        account({ name: 'valley', days: [confirmed('2026-11-20', unreported, partial)] }),
        account({ name: 'north' }),
      ],
    });
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      key: 'ANOMALY_KNOWN',
      accounts: ['coast', 'valley'],
      affects: ['coast announced', 'valley unreported', 'valley error'],
    });
  });

  it('are none for what a second night or a person confirmed, nor for records that the alert about records names', () => {
    expect(ofAccount({ days: [confirmed('2026-11-20', noCalls)] })).toEqual([]);
    expect(ofAccount({ days: [dayState('2026-11-20', { anomalies: [announced] })] })).toEqual([]);
    const quarantined = [rejects('2026-11-20')];
    expect(
      ofAccount({ quarantined, days: [confirmed('2026-11-20', unreadable)] }).map(({ key }) => key),
    ).toEqual(['RECORDS_QUARANTINED']);
  });

  it('stay dismissed while they are the same, though they are of another day', () => {
    const on = (day: string, ...anomalies: Anomaly[]) => ({
      accounts: [account({ days: [confirmed(day, ...anomalies)] })],
    });
    const recorded = new Map([
      ['ANOMALY_KNOWN', { title: 'its title', since: null, dismissed: ['coast announced'] }],
    ]);
    const dismissed = (state: Partial<WarehouseState>) => diagnosed({ ...state, recorded })[0]!.dismissed;
    expect(dismissed(on('2026-11-20', { ...announced, announced: 12 }))).toBe(true);
    expect(dismissed(on('2026-11-20', announced, partial))).toBe(false);
  });
});

describe('what happens by itself', () => {
  const causeOf = (changes: Parameters<typeof lastRun>[0]) =>
    diagnosed({ accounts: [account(outage)], lastRun: lastRun(changes) })[0]!.cause;

  it('is said with its time in TIME_ZONE where a retry is ahead', () => {
    const retryAt = Temporal.Instant.from('2026-11-21T12:15:00Z');
    expect(causeOf({ retryAt })).toMatch(/The run is retried automatically at 13:15 \(Europe\/Berlin\)\.$/);
  });

  it('mail that the run in progress is about to send is no alert', () => {
    const deliveries = [message({ state: 'pending', reply: null })];
    expect(diagnosed({ deliveries, running: running('2026-11-21T11:00:00Z', 7) })).toEqual([]);
    expect(diagnosed({ deliveries, running: running('2026-11-21T11:00:00Z', 8) })).toHaveLength(1);
  });

  it('mail without a reply says which error kept it', () => {
    const digestErrors = [{ ...errorOfDigest, isBuilt: true }];
    const deliveries = [message({ state: 'pending', reply: null })];
    expect(diagnosed({ deliveries, lastRun: lastRun({ digestErrors }) })[0]!.cause).toBe(
      'Digest Campaigns of 2026-11-20 to ana@example.com: invalid byte sequence. The next run tries again.',
    );
    expect(diagnosed({ deliveries })[0]!.cause).toBe('No attempt yet. The next run tries again.');
  });
});

describe('days that are not loaded are no alert', () => {
  const days = missingDays('2026-11-20');
  const yesterday = Temporal.Instant.from('2026-11-20T06:30:00Z');
  const before = { startedAt: yesterday, nextScheduledAt: Temporal.Instant.from('2026-11-21T06:30:00Z') };

  it('where they only await the next run: between midnight and the night, or while it is running', () => {
    const noon = Temporal.Instant.from('2026-11-20T18:00:00Z');
    const ahead = { ...before, nextScheduledAt: Temporal.Instant.from('2026-11-21T12:30:00Z') };
    expect(ofAccount({ days }, { lastRun: lastRun(ahead) })).toEqual([]);
    // Yesterday's run was missed: nobody knows whether one comes.
    expect(ofAccount({ days }, { lastRun: lastRun(before) })).toHaveLength(1);
    expect(ofAccount({ days }, { lastRun: lastRun({ retryAt: noon }) })).toEqual([]);
    expect(ofAccount({ days }, { lastRun: lastRun() })).toHaveLength(1);
    // One that began when the day was already over had to load it.
    expect(ofAccount({ days: missingDays('2026-11-18') }, { lastRun: lastRun(before) })).toHaveLength(1);
    expect(ofAccount({ days }, { lastRun: null })).toHaveLength(1);
  });

  it('before midnight in the account’s zone', () => {
    const now = Temporal.Instant.from('2026-11-21T12:00:00Z');
    const ahead = account({ timeZone: 'Pacific/Auckland', days: missingDays('2026-11-21') });
    expect(diagnosed({ accounts: [ahead] }, { now })).toEqual([]);
    const later = lastRun({ startedAt: Temporal.Instant.from('2026-11-21T11:30:00Z') });
    expect(diagnosed({ accounts: [ahead], lastRun: later }, { now })).toHaveLength(1);
  });

  it('over a weekend without runs, until a run is a minute late', () => {
    const friday = lastRun({
      startedAt: Temporal.Instant.from('2026-11-20T06:30:00Z'),
      nextScheduledAt: Temporal.Instant.from('2026-11-23T06:30:00Z'),
    });
    const accounts = [account({ days: missingDays('2026-11-20', '2026-11-21') })];
    const at = (now: string) => diagnosed({ accounts, lastRun: friday }, { now: Temporal.Instant.from(now) });
    expect(at('2026-11-23T06:30:59Z')).toEqual([]);
    expect(at('2026-11-23T06:31:00Z')).toHaveLength(1);
  });
});

test('a day is unusual under 40% of what its weekday usually has, where that is 100 attempts or more, and on its first night', () => {
  const keys = (day: DayState) => ofAccount({ days: [day] }).map(({ key }) => key);
  expect(keys(fewAttempts(39, 100))).toEqual(['UNUSUAL_VOLUME']);
  for (const usual of [
    fewAttempts(40, 100),
    fewAttempts(1, 99),
    fewAttempts(1, null),
    fewAttempts(null, 100),
    { ...fewAttempts(1, 100), settling: false },
  ])
    expect(keys(usual)).toEqual([]);
});

test('records of a day that is not loaded are not said to repeat anything', () => {
  const quarantined = [rejects('2026-11-20')];
  for (const days of [missingDays('2026-11-20'), outage.days, heldDays('2026-11-20')]) {
    const alerts = ofAccount({ quarantined, days });
    expect(alerts.find(({ code }) => code === 'RECORDS_QUARANTINED')!.cause).not.toMatch(/repeat|low/);
  }
});

describe('a recorded alert', () => {
  const deliveries = [message({ day: '2026-11-19', reply: null }), message({ reply: null })];
  const affects = deliveries.map(({ day }) => `Campaigns of ${day} to ana@example.com`);
  const recorded = (dismissed: string[]) =>
    new Map([['MAIL_REFUSED', { title: 'its title', since: '2026-11-18', dismissed }]]);

  it('says since when it is active', () => {
    expect(diagnosed({ deliveries, recorded: recorded([]) })[0]).toMatchObject({
      since: '2026-11-18',
      severity: 'error',
      dismissed: false,
    });
  });

  it('that is dismissed is a note, until it affects more', () => {
    const [note] = diagnosed({ deliveries, recorded: recorded(affects) });
    expect(note).toMatchObject({ severity: 'note', dismissed: true });
    const more = [...deliveries, message({ digest: 'Weekly', reply: null })];
    expect(diagnosed({ deliveries: more, recorded: recorded(affects) })[0]!.severity).toBe('error');
  });
});
