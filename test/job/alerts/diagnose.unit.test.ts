import { globSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { describe, expect, it, test } from 'vitest';
import type { Context } from '../../../src/cli/context.ts';
import { composeAlert } from '../../../src/digest/compose-alert.ts';
import { alertCodes } from '../../../src/job/alerts/conditions/catalogue.ts';
import { countMissed } from '../../../src/job/alerts/read-alerts.ts';
import type { AccountState, WarehouseState } from '../../../src/job/alerts/state.ts';
import { signId } from '../../../src/model/accepted.ts';
import { type ActiveAlert, countedLines, needsAction } from '../../../src/model/alert.ts';
import type { Anomaly } from '../../../src/model/anomaly.ts';
import { type ErrorCode, errorCatalogue } from '../../../src/model/errors.ts';
import type { DayState } from '../../../src/model/window.ts';
import { scheduledTimesOf } from '../../../src/schedule/scheduled-times.ts';
import {
  announced,
  coast,
  confirmed,
  down,
  errorOfDigest,
  failed,
  fewAttempts,
  noCalls,
  offices,
  outage,
  provisional,
  rejects,
  remark,
  situations,
  unreadable,
} from './situations.ts';
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

/** An alert as its reader gets it. */
const inFull = ({ key, kind, severity, retried, title, explanation, named, steps }: ActiveAlert) =>
  [
    `${kind}, ${severity}: ${key}${retried ? ', retried' : ''}`,
    title,
    explanation,
    ...countedLines({ named }),
    ...steps.map(({ text, command }) => (command === null ? text : `${text}: ${command.join(' ')}`)),
  ].join('\n');

const table = Object.values(situations).flat();

test('where nothing is wrong, there is no alert', () => {
  expect(diagnosed({})).toEqual([]);
});

test('clocks that differ by ten minutes are left alone', () => {
  expect(diagnosed({ clockAheadMs: 600_000 })).toEqual([]);
  expect(diagnosed({ clockAheadMs: -600_000 })).toEqual([]);
});

test('a list is said to be refused alone only if no day failed', () => {
  const walk = { ...incompleteWalk, reason: 'status 401', errorCode: 'CLIENT_LIST_REFUSED' } as const;
  const days = failed('TOKEN_REFUSED', 'status 401', '2026-11-20');
  expect(diagnosed(coast({ walk, days })).map(({ key }) => key)).toEqual(['TOKEN_REFUSED']);
  expect(diagnosed(coast({ walk })).map(({ key }) => key)).toEqual(['CLIENT_LIST_REFUSED']);
});

test('a day of which no record can be read is one alert, and nobody is told that no figures are missing', () => {
  const days = failed('INVALID_RESPONSE', 'no record can be read', '2026-11-20');
  const alerts = diagnosed(coast({ days, quarantined: [rejects('2026-11-20')] }));
  expect(alerts.map(({ key }) => key)).toEqual(['INVALID_RESPONSE']);
});

test('a day of which a part was loaded, and then nothing was listed, is one alert that says so', () => {
  const part = { state: 'provisional', isOver: false, held: true, heldCode: 'emptied' } as const;
  const days = [dayState('2026-11-20', { ...part, heldReason: '0 attempts instead of 50' })];
  expect(diagnosed(coast({ days })).map(({ key, explanation }) => [key, explanation])).toEqual([
    [
      'RESPONSE_HELD/emptied',
      expect.stringMatching(/^0 attempts instead of 50, which were a part of the day\./),
    ],
  ]);
});

test('what was not requested is not called refused, and no alert is silent about it', () => {
  const refused = { days: failed('TOKEN_REFUSED', 'status 401', '2026-11-20') };
  const unrequested = account({ name: 'shop', days: failed('NOT_REQUESTED', 'not requested', '2026-11-20') });
  const [alert, ...more] = diagnosed({ accounts: [...offices(10, refused), unrequested] });
  expect(more).toEqual([]);
  expect(alert).toMatchObject({
    title: 'Token refused: 10 accounts, 20 Nov',
    items: expect.arrayContaining(['shop 2026-11-20']),
  });
  expect(alert!.accounts).not.toContain('shop');
  expect(diagnosed({ accounts: [unrequested] })).toMatchObject([{ items: ['shop 2026-11-20'] }]);
});
test('that every token is refused is not said if one was accepted, and only an earlier day of it not requested', () => {
  const refused = { days: failed('TOKEN_REFUSED', 'status 401', '2026-11-20') };
  const saysEvery = (day: string) => {
    const shop = account({ name: 'shop', days: failed('NOT_REQUESTED', 'not requested', day) });
    const [alert] = diagnosed({ accounts: [...offices(10, refused), shop] });
    return alert!.explanation.includes('Every token that was sent is refused');
  };
  expect([saysEvery('2026-11-20'), saysEvery('2026-11-19')]).toEqual([true, false]);
});

test('each cause is said as somebody read it last', async () => {
  const texts = table.map(([what, state]) => `# ${what}\n\n${diagnosed(state).map(inFull).join('\n\n')}\n`);
  await expect(texts.join('\n')).toMatchFileSnapshot('alerts.txt');
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
  it('each alert has a title, a cause, a code of the list and a key of its own, to do first', () => {
    const kinds = ['to do', 'to check', 'note'];
    for (const state of together) {
      const alerts = diagnosed(state);
      const keys = alerts.map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
      for (const { code, title, explanation, items } of alerts) {
        expect(alertCodes).toContain(code);
        expect(explanation).toMatch(/[.!?"}]$/);
        expect(`${title} ${explanation}`).not.toMatch(/undefined|null|NaN| {2}|\.\./);
        expect(items.length).toBeGreaterThan(0);
      }
      const ranks = alerts.map(({ kind }) => kinds.indexOf(kind));
      expect(ranks).toEqual([...ranks].sort());
    }
  });

  it('each alert that needs somebody says what to do, by a step or a command that our own program reads', async () => {
    const program = new Command('callsheet').exitOverride().configureOutput({ writeErr: () => {} });
    for (const file of globSync('src/cli/commands/*.ts')) {
      const { add } = await import(path.resolve(file));
      add(program, { environment: {} } as Context);
    }
    for (const command of program.commands) command.action(() => {});
    for (const { steps, kind } of together.flatMap((state) => diagnosed(state))) {
      if (kind !== 'note') expect(steps.length).toBeGreaterThan(0);
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
      const dismissed = recorded(({ items }) => items);
      expect(dismissed.filter(needsAction)).toEqual([]);
      expect(dismissed.map(({ key }) => key).sort()).toEqual(before.map(({ key }) => key).sort());
      const kindOf = new Map(before.map(({ key, kind }) => [key, kind]));
      for (const { key, kind } of recorded(({ items }) => items.slice(1))) expect(kind).toBe(kindOf.get(key));
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

  it('and two responses of the service are two, also where the days are the same', () => {
    const accounts = [
      account({ name: 'north', ...outage }),
      account({ name: 'coast', days: failed('SERVICE_UNAVAILABLE', 'status 500: oh', '2026-11-20') }),
    ];
    expect(diagnosed({ accounts }).map(({ key }) => key)).toEqual([
      'SERVICE_UNAVAILABLE/503',
      'SERVICE_UNAVAILABLE/500',
    ]);
  });

  it('records that are dismissed for one reason need attention again for another', () => {
    const reasons = ['callsetId is missing', 'attempts is not a number'];
    const found = (...kept: string[]) => ({
      quarantined: kept.map((reason) => ({ ...rejects('2026-11-20'), reason })),
      days: [provisional('2026-11-20', unreadable)],
    });
    const [before] = ofAccount(found(reasons[0]!));
    const recorded = new Map([
      [before!.key, { title: before!.title, since: '2026-11-20', dismissed: before!.items }],
    ]);
    expect(ofAccount(found(reasons[0]!), { recorded }).filter(needsAction)).toEqual([]);
    expect(ofAccount(found(...reasons), { recorded }).filter(needsAction)).toHaveLength(1);
  });

  it('no step says to run while a run is running', () => {
    const accounts = [account({ days: failed('SERVICE_UNAVAILABLE', 'status 503', '2026-11-20') })];
    const [alert] = diagnosed({ accounts, running: running('2026-11-21T11:00:00Z') });
    expect(alert!.steps).toEqual([
      { text: 'Once the current run has ended, if this alert is still active', command: ['run'] },
    ]);
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
  expect(alert!.items).toEqual(['coast 2026-11-18', 'coast 2026-11-19', 'coast 2026-11-20']);
  expect(ofAccount({ days: days.slice(0, 2) })[0]!.title).toMatch(/: coast, 18 Nov and 19 Nov$/);
});

describe('held days', () => {
  const [first, second, third] = heldDays('2026-11-18', '2026-11-19', '2026-11-20');
  const emptied = { ...second!, heldCode: 'emptied' as const, heldReason: 'it would empty it' };

  it('with different reasons are different alerts, each with a dismissal of its own', () => {
    const keys = ['RESPONSE_HELD/halved', 'RESPONSE_HELD/emptied'];
    const days = [first!, emptied, third!];
    expect(ofAccount({ days }).map(({ key, items }) => [key, items.length])).toEqual([
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
});

describe('days whose figures are not confirmed', () => {
  const keysOf = (changes: Partial<AccountState>) => ofAccount(changes).map(({ key }) => key);

  it('are an alert for each set of signs, whatever their numbers, with a step to accept each for good', () => {
    const took = (ms: number) => remark(`took: ${ms}`);
    const days = [
      provisional('2026-11-17', took(9)),
      provisional('2026-11-18', took(12)),
      provisional('2026-11-19', took(9), { ...announced, announced: 11 }),
      provisional('2026-11-20', { ...announced, confirmedBy: 'always' }, noCalls),
    ];
    const alerts = ofAccount({ days });
    expect(alerts.map(({ items }) => items)).toEqual([
      ['coast 2026-11-17', 'coast 2026-11-18'],
      ['coast 2026-11-19'],
      ['coast 2026-11-20'],
    ]);
    const id = (sign: string, kind: 'remark' | 'anomaly') =>
      signId({ kind, operation: 'campaignSummary', sign });
    const accepted = alerts.map(({ steps }) =>
      steps.flatMap(({ command }) => (command?.[1] === '--always' ? command[2]! : [])),
    );
    expect(accepted).toEqual([
      [id('took: *', 'remark')],
      [id('took: 1', 'remark'), id('announced/campaigns', 'anomaly')],
      [id('no_calls', 'anomaly')],
    ]);
  });

  it('are none of their own where the day was not over, or the alert about records says it', () => {
    expect(
      keysOf({ days: [{ ...provisional('2026-11-20', remark('note: partial data')), isOver: false }] }),
    ).toEqual(['DAYS_NOT_LOADED']);
    const day = provisional('2026-11-20', unreadable);
    expect(keysOf({ days: [day], quarantined: [rejects('2026-11-20')] })).toEqual(['RECORDS_QUARANTINED']);
    expect(keysOf({ days: [day], quarantined: [rejects('2026-11-19')] })).toEqual([
      'RECORDS_QUARANTINED',
      expect.stringMatching(/^DAYS_PROVISIONAL\/r-/),
    ]);
  });
});

describe('remarks beside confirmed figures', () => {
  it('are one alert over all accounts, unless something else confirms them', () => {
    const days = (anomaly: Anomaly) => ({ days: [confirmed('2026-11-20', anomaly)] });
    const alerts = diagnosed({
      accounts: [
        account({ name: 'coast', ...days(remark('version: 2.1')) }),
        account({ name: 'valley', ...days(remark('version: 2.2')) }),
        account({ name: 'north', ...days(announced) }),
      ],
    });
    expect(alerts.map(({ code, accounts }) => [code, accounts])).toEqual([
      ['NEW_REMARK', ['coast', 'valley']],
    ]);
    const accepted: Anomaly = { ...remark('version: 2.1'), confirmedBy: 'always' };
    expect(ofAccount({ days: [dayState('2026-11-20', { anomalies: [accepted] })] })).toEqual([]);
  });
});

describe('what happens by itself', () => {
  const causeOf = (changes: Parameters<typeof lastRun>[0]) =>
    diagnosed({ accounts: [account(outage)], lastRun: lastRun(changes) })[0]!.explanation;

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
    const deliveries = [message({ state: 'pending', reply: null, step: null, code: null })];
    expect(diagnosed({ deliveries, lastRun: lastRun({ digestErrors }) })[0]!.explanation).toMatch(
      /^Invalid byte sequence\. The next run, /,
    );
  });
});

describe('days that are not loaded are no alert', () => {
  const days = missingDays('2026-11-20');
  const before = { startedAt: Temporal.Instant.from('2026-11-20T06:30:00Z') };

  it('where they only await the next run: between midnight and the night, or while it is retried', () => {
    expect(ofAccount({ days }, { lastRun: lastRun(before) })).toEqual([]);
    expect(ofAccount({ days }, { lastRun: null })).toEqual([]);
    const noon = Temporal.Instant.from('2026-11-20T18:00:00Z');
    expect(ofAccount({ days }, { lastRun: lastRun({ retryAt: noon }) })).toEqual([]);
    const earlier = missingDays('2026-11-18', '2026-11-20');
    expect(ofAccount({ days: earlier }, { lastRun: lastRun({ retryAt: noon }) })[0]!.items).toEqual([
      'coast 2026-11-18',
    ]);
    // One that began when the day was already over had to load it.
    expect(ofAccount({ days }, { lastRun: lastRun() })).toHaveLength(1);
    expect(ofAccount({ days: missingDays('2026-11-18') }, { lastRun: lastRun(before) })).toHaveLength(1);
  });

  it('before midnight in the account’s zone', () => {
    const ahead = account({ timeZone: 'Pacific/Auckland', days: missingDays('2026-11-21') });
    expect(diagnosed({ accounts: [ahead] })).toEqual([]);
    const later = lastRun({ startedAt: Temporal.Instant.from('2026-11-21T11:30:00Z') });
    expect(diagnosed({ accounts: [ahead], lastRun: later })).toHaveLength(1);
  });

  it('nor is a night without a run, if a run with dates loaded its day', () => {
    expect(ofAccount({}, { missedTimes: 1 })).toEqual([]);
    expect(ofAccount({ days }, { lastRun: lastRun(before), missedTimes: 1 })).toMatchObject([
      { kind: 'to do', items: ['run 7', 'coast 2026-11-20'] },
    ]);
  });
});

test('accounts with the same label are counted apart', () => {
  const lacking = { label: 'Office', days: failed('TOKEN_REFUSED', 'expired', '2026-11-20') };
  const accounts = ['north', 'coast'].map((name) => account({ name, ...lacking }));
  expect(diagnosed({ accounts })[0]!.explanation).toContain('No figures for 20 Nov (2 accounts): expired.');
});

test('a scheduled time is missed a minute later, and what a run should have begun at is counted', () => {
  const times = scheduledTimesOf({ expression: '30 6 * * 1-5', timeZone: 'UTC' });
  const friday = Temporal.Instant.from('2026-11-20T06:30:00Z');
  const at = (now: string) => countMissed(times, friday, Temporal.Instant.from(now));
  expect(at('2026-11-23T06:30:59Z')).toBe(0);
  expect(at('2026-11-23T06:31:00Z')).toBe(1);
  expect(at('2026-11-25T12:00:00Z')).toBe(3);
  expect(at('2027-11-25T12:00:00Z')).toBe(100);
});

test('a day is unusual under 40% of what its weekday usually has, where that is 100 attempts or more, and on its first night', () => {
  const keys = (day: DayState) => ofAccount({ days: [day] }).map(({ key }) => key);
  expect(keys(fewAttempts(39, 100))).toEqual(['UNUSUAL_VOLUME']);
  for (const usual of [
    fewAttempts(40, 100),
    fewAttempts(1, 99),
    fewAttempts(1, null),
    fewAttempts(null, 100),
  ])
    expect(keys(usual)).toEqual([]);
});
