import { describe, expect, it, test } from 'vitest';
import type { ActiveAlert } from '../../../src/model/alert.ts';
import type { ErrorCode } from '../../../src/model/errors.ts';
import { asTyped } from '../../../src/support/commands.ts';
import { account, diagnosed, incompleteWalk, lastRun, message, ofAccount } from './states.ts';

const failed = (code: ErrorCode, ...days: string[]) =>
  days.map((day) => ({ day, code, detail: `account coast: ${code}: do this` }));
const commands = ({ steps }: ActiveAlert) =>
  steps.flatMap(({ command }) => (command ? asTyped(...command) : []));
const titles = (alerts: readonly ActiveAlert[]) => alerts.map(({ title }) => title);

test('where nothing is wrong, there is no alert', () => {
  expect(diagnosed({})).toEqual([]);
});

it('titles name an account by its label; keys and commands, by its name', () => {
  const coast = account({
    label: 'Coast & Sons',
    missing: ['2026-11-18'],
    held: [{ day: '2026-11-19', reason: null }],
  });
  expect(diagnosed({ accounts: [coast] }).map(({ key, title }) => [key, title])).toEqual([
    ['DAYS_NOT_LOADED/coast', "Coast & Sons: 2026-11-18 isn't loaded"],
    ['RESPONSE_HELD/coast', 'Coast & Sons: a response for 2026-11-19 is held'],
  ]);
});

describe('errors', () => {
  it('of one code and account are one alert, with all their days; what no run mends comes first', () => {
    const coast = account({
      failed: failed('SERVICE_UNAVAILABLE', '2026-11-19', '2026-11-20'),
      walk: { ...incompleteWalk, errorCode: null },
    });
    const north = account({
      name: 'north',
      failed: failed('TOKEN_REFUSED', '2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'),
      walk: { ...incompleteWalk, errorCode: 'TOKEN_REFUSED' },
    });
    const alerts = diagnosed({ accounts: [coast, north] });
    expect(alerts.map((alert) => [alert.title, ...commands(alert)])).toEqual([
      ['north: token refused for the client list, 4 days from 2026-11-17 to 2026-11-20', 'npm start -- run'],
      ['coast: service unavailable for 2026-11-19, 2026-11-20', 'npm start -- run'],
      [
        'coast: no complete walk over the client list since 2026-11-18',
        'npm start -- doctor',
        'npm start -- run',
      ],
    ]);
  });

  it('about a token say where the new one goes, and that no run mends it', () => {
    const tokenPlace = '/run/secrets/coast';
    const [alert] = ofAccount({ failed: failed('TOKEN_REFUSED', '2026-11-20'), tokenPlace });
    expect(alert!.steps[0]).toEqual({ text: 'Write the new token to /run/secrets/coast', command: null });
    expect(alert).toMatchObject({ severity: 'error', retried: false });
    expect(alert!.cause).toContain('Every run fails with it until somebody replaces the token.');
  });

  it('of a client list are one alert, with account, cause, the last complete walk, and a command', () => {
    expect(ofAccount({ walk: incompleteWalk })).toEqual([
      {
        code: 'WALK_INCOMPLETE',
        key: 'WALK_INCOMPLETE/coast',
        account: 'coast',
        severity: 'error',
        title: 'coast: no complete walk over the client list since 2026-11-18',
        cause:
          'page 7 could not be fetched. The last complete walk over the client list is of 2026-11-17; until the next, nobody is marked absent. The next run tries again.',
        since: null,
        days: [],
        affects: ['clients'],
        retried: true,
        steps: [
          { text: 'To see what the service says', command: ['doctor'] },
          { text: 'Then', command: ['run'] },
        ],
        dismissed: false,
      },
    ]);
  });

  it('of a loaded day and a client list that failed alike are one alert', () => {
    const walk = { ...incompleteWalk, errorCode: 'SERVICE_UNAVAILABLE' as const };
    const alerts = ofAccount({ walk, failed: failed('SERVICE_UNAVAILABLE', '2026-11-19') });
    expect(titles(alerts)).toEqual(['coast: service unavailable for the client list, 2026-11-19']);
  });

  it('that another run may not solve suggest doctor first', () => {
    const [alert] = ofAccount({ failed: failed('INVALID_RESPONSE', '2026-11-20') });
    expect(commands(alert!)).toEqual(['npm start -- doctor', 'npm start -- run']);
  });

  it('of days beyond CATCH_UP_DAYS have commands for exactly these, and can be dismissed', () => {
    const days = ['2026-08-01', '2026-08-02', '2026-09-09', '2026-11-20'];
    const [alert] = ofAccount({ failed: failed('SERVICE_UNAVAILABLE', ...days) });
    expect(commands(alert!)).toEqual([
      'npm start -- run',
      'npm start -- backfill --from 2026-08-01 --to 2026-08-02 --account coast',
      'npm start -- backfill --from 2026-09-09 --to 2026-09-09 --account coast',
      'npm start -- status --dismiss SERVICE_UNAVAILABLE/coast',
    ]);
    expect(alert!.cause).toMatch(
      /The next run tries again\. 2026-08-01, 2026-08-02, 2026-09-09 are beyond CATCH_UP_DAYS: no run fetches them any more\.$/,
    );
    expect(alert!.retried).toBe(false);
  });

  it('beside old days alone leave the client list to the next run', () => {
    const walk = { ...incompleteWalk, errorCode: 'SERVICE_UNAVAILABLE' as const };
    const [alert] = ofAccount({ walk, failed: failed('SERVICE_UNAVAILABLE', '2026-08-01') });
    expect(commands(alert!)[0]).toBe('npm start -- run');
  });

  it('say when a run that waits tries again, in TIME_ZONE', () => {
    const retryAt = Temporal.Instant.from('2026-11-21T12:15:00Z');
    const [alert] = ofAccount(
      { failed: failed('SERVICE_UNAVAILABLE', '2026-11-20') },
      { lastRun: lastRun({ state: 'waiting', retryAt }) },
    );
    expect(alert!.cause).toMatch(/The run tries again by itself at 13:15 \(Europe\/Berlin\)\.$/);
  });

  it('say that the run in progress tries again', () => {
    const [alert] = ofAccount(
      { failed: failed('SERVICE_UNAVAILABLE', '2026-11-20') },
      { lastRun: lastRun({ state: 'in progress' }) },
    );
    expect(alert!.cause).toMatch(/The run in progress tries again\.$/);
  });
});

test('over half of the clients missing is an alert, beside whatever the last walk was', () => {
  const implausible = { implausibleMissing: 380, implausibleSince: '2026-11-16' };
  const complete = { verdict: 'complete' as const, reason: null, incompleteSince: null };
  expect(titles(ofAccount({ walk: { ...incompleteWalk, ...complete, ...implausible } }))).toEqual([
    'coast: 380 clients are missing since 2026-11-16',
  ]);
  expect(ofAccount({ walk: { ...incompleteWalk, ...implausible } })).toHaveLength(2);
});

describe('days that are not loaded', () => {
  it('are one alert with a command for each gap, not for all between two of them', () => {
    const missing = ['2026-03-01', '2026-03-02', '2026-05-09', '2026-11-19'];
    const [alert, ...more] = ofAccount({ missing });
    expect(more).toEqual([]);
    expect(alert!.title).toBe("coast: 4 days from 2026-03-01 to 2026-11-19 aren't loaded");
    expect(commands(alert!)).toEqual([
      'npm start -- run',
      'npm start -- backfill --from 2026-03-01 --to 2026-03-02 --account coast',
      'npm start -- backfill --from 2026-05-09 --to 2026-05-09 --account coast',
      'npm start -- status --dismiss DAYS_NOT_LOADED/coast',
    ]);
  });

  it('within CATCH_UP_DAYS are all the next run’s', () => {
    const [alert] = ofAccount({ missing: ['2026-11-19', '2026-11-20'] });
    expect(alert).toMatchObject({ retried: true, title: "coast: 2026-11-19, 2026-11-20 aren't loaded" });
    expect(commands(alert!)).toEqual(['npm start -- run']);
  });

  it('are no alert where they only await the next run: between midnight and the night, or while it is at work', () => {
    const missing = ['2026-11-20'];
    const yesterday = Temporal.Instant.from('2026-11-20T06:30:00Z');
    const noon = Temporal.Instant.from('2026-11-20T18:00:00Z');
    const before = { startedAt: yesterday, nextScheduledAt: Temporal.Instant.from('2026-11-21T06:30:00Z') };
    expect(ofAccount({ missing }, { lastRun: lastRun(before) })).toEqual([]);
    expect(ofAccount({ missing }, { lastRun: lastRun({ state: 'in progress' }) })).toEqual([]);
    expect(ofAccount({ missing }, { lastRun: lastRun({ state: 'waiting', retryAt: noon }) })).toEqual([]);
    expect(ofAccount({ missing }, { lastRun: lastRun() })).toHaveLength(1);
    // One that began when the day was already over had to load it.
    expect(ofAccount({ missing: ['2026-11-18'] }, { lastRun: lastRun(before) })).toHaveLength(1);
  });

  it('are no alert while a backfill is at work, which expects days that the last run did not, but for yesterday', () => {
    const missing = ['2026-03-01', '2026-11-19', '2026-11-20'];
    const [alert, ...more] = ofAccount({ missing }, { isBackfilling: true });
    expect([alert!.days, more]).toEqual([['2026-11-20'], []]);
    expect(ofAccount({ missing: ['2026-11-19'] }, { isBackfilling: true, lastRun: null })).toEqual([]);
  });

  it('take midnight from each account’s zone', () => {
    const missing = ['2026-11-21'];
    const now = Temporal.Instant.from('2026-11-21T12:00:00Z');
    const ahead = account({ timeZone: 'Pacific/Auckland', missing });
    expect(diagnosed({ accounts: [ahead] }, { now })).toEqual([]);
    const later = lastRun({ startedAt: Temporal.Instant.from('2026-11-21T11:30:00Z') });
    expect(diagnosed({ accounts: [ahead], lastRun: later }, { now })).toHaveLength(1);
  });

  it('are no alert over a weekend without runs, and one as soon as a scheduled run is missed', () => {
    const friday = lastRun({
      startedAt: Temporal.Instant.from('2026-11-20T06:30:00Z'),
      nextScheduledAt: Temporal.Instant.from('2026-11-23T06:30:00Z'),
    });
    const accounts = [account({ missing: ['2026-11-20', '2026-11-21'] })];
    const at = (now: string) => diagnosed({ accounts, lastRun: friday }, { now: Temporal.Instant.from(now) });
    expect(at('2026-11-22T12:00:00Z')).toEqual([]);
    expect(at('2026-11-23T07:00:00Z')).toHaveLength(1);
  });
});

describe('responses', () => {
  it('that are held are one alert, which offers the dry run of each day before it is applied', () => {
    const [alert, ...more] = ofAccount({
      held: ['2026-11-18', '2026-11-20'].map((day) => ({ day, reason: null })),
    });
    expect(more).toEqual([]);
    expect(alert).toMatchObject({ severity: 'warning', retried: true });
    expect(alert!.title).toBe('coast: responses for 2026-11-18, 2026-11-20 are held');
    expect(commands(alert!)).toEqual([
      'npm start -- run --day 2026-11-18 --account coast --dry-run',
      'npm start -- accept --day 2026-11-18 --account coast',
      'npm start -- run --day 2026-11-20 --account coast --dry-run',
      'npm start -- accept --day 2026-11-20 --account coast',
      'npm start -- status --dismiss RESPONSE_HELD/coast',
    ]);
  });

  it('that are held beyond CATCH_UP_DAYS wait for a person, since no night brings them again', () => {
    const [alert] = ofAccount({ held: [{ day: '2026-03-18', reason: null }] });
    expect(alert!.retried).toBe(false);
    expect(alert!.cause).not.toContain('later night');
  });

  it('that may be wrong are one alert for each reason, which keeps its key from day to day', () => {
    const suspicious = [
      { day: '2026-11-18', reason: 'unreported', detail: 'live_answers' },
      { day: '2026-11-19', reason: 'unreported', detail: 'busies' },
      { day: '2026-11-19', reason: 'notice', detail: 'partial data' },
    ] as const;
    const alerts = ofAccount({ suspicious });
    expect(alerts.map(({ key, days }) => [key, ...days])).toEqual([
      ['RESPONSE_SUSPICIOUS/coast/unreported', '2026-11-18', '2026-11-19'],
      ['RESPONSE_SUSPICIOUS/coast/notice', '2026-11-19'],
    ]);
    expect(alerts[0]!.cause).toContain('Most campaigns report no live answers and busies');
    expect(alerts[1]!.cause).toContain(
      'The service added: "partial data". The next night fetches the day again',
    );
    expect(ofAccount({ suspicious: [suspicious[1]!] })[0]!.key).toBe(alerts[0]!.key);
  });

  it('without calls are a note, which needs nobody', () => {
    const [note] = ofAccount({ suspicious: [{ day: '2026-11-20', reason: 'no calls', detail: null }] });
    expect(note).toMatchObject({ severity: 'note', title: 'coast: no calls on 2026-11-20', steps: [] });
  });
});

test('records in quarantine are one alert, which says what may be missing, why, and shows one', () => {
  const of = (day: string | null, reason: string, attempts: number) => ({
    day,
    reason,
    records: 1,
    attempts,
    example: '{"callsetid": 7}',
  });
  const quarantined = [of(null, 'id is missing', 0), of('2026-11-20', 'busies is negative', 498)];
  const [alert, ...more] = ofAccount({ quarantined });
  expect(more).toEqual([]);
  expect(alert!.title).toBe("coast: 2 records of the client list, 2026-11-20 couldn't be read");
  expect(alert!.cause).toBe(
    'What they say may be missing from the figures. id is missing; busies is negative. For example: {"callsetid": 7}',
  );
  expect(commands(alert!)).toEqual([
    'npm start -- replay --from 2026-11-20 --to 2026-11-20 --reread',
    'npm start -- status --dismiss RECORDS_QUARANTINED/coast',
  ]);
});

describe('mail', () => {
  it('that waits is one alert; what a person must repeat is one for each recipient and state', () => {
    const ben = 'ben@example.com';
    const deliveries = [
      message({ state: 'failed' }),
      message({ state: 'pending', recipient: ben }),
      ...[message({ day: '2026-11-19' }), message()],
      message({ state: 'unknown', recipient: ben }),
    ];
    const alerts = diagnosed({ deliveries });
    expect(alerts.map((alert) => [alert.key, ...commands(alert)])).toEqual([
      [
        'MAIL_REFUSED/ana@example.com',
        'npm start -- digest --day 2026-11-19 --digest Campaigns --to ana@example.com --resend',
        'npm start -- digest --day 2026-11-20 --digest Campaigns --to ana@example.com --resend',
        'npm start -- status --dismiss MAIL_REFUSED/ana@example.com',
      ],
      [
        'MAIL_UNKNOWN/ben@example.com',
        'npm start -- digest --day 2026-11-20 --digest Campaigns --to ben@example.com --resend',
        'npm start -- status --dismiss MAIL_UNKNOWN/ben@example.com',
      ],
      ['MAIL_WAITING', 'npm start -- doctor', 'npm start -- run'],
    ]);
  });

  it('that waits without a reply says which error of the last run kept it', () => {
    const digestErrors = [
      {
        digest: 'Campaigns',
        every: 'day',
        day: '2026-11-20',
        code: 'INTERNAL',
        detail: 'it broke',
        isBuilt: true,
      },
    ] as const;
    const deliveries = [message({ state: 'pending', reply: null })];
    const alerts = diagnosed({ deliveries, lastRun: lastRun({ digestErrors }) });
    expect(alerts).toMatchObject([
      {
        code: 'MAIL_WAITING',
        cause: 'digest Campaigns of 2026-11-20 to ana@example.com: it broke. The next run tries again.',
      },
    ]);
  });

  it('that the run in progress is about to send is no alert', () => {
    const deliveries = [message({ state: 'pending' }), message({ state: 'sending' })];
    expect(diagnosed({ deliveries, lastRun: lastRun({ state: 'in progress' }) })).toEqual([]);
    expect(diagnosed({ deliveries })).toHaveLength(1);
  });

  it('of a week or a month is called by it, not by its last day', () => {
    const [refused, waiting] = [message({ every: 'week', day: '2026-11-22' }), message({ state: 'failed' })];
    const month = { ...waiting, every: 'month', day: '2026-10-31' } as const;
    expect(titles(diagnosed({ deliveries: [refused, month] }))).toEqual([
      'Campaigns of the week of 2026-11-16 to ana@example.com: refused',
      '1 message waits, up to Campaigns of 2026-10',
    ]);
    const { digest, every, day } = refused;
    const digestErrors = [
      { digest, every, day, code: 'INTERNAL', detail: 'it broke', isBuilt: false },
    ] as const;
    expect(titles(diagnosed({ lastRun: lastRun({ digestErrors }) }))).toEqual([
      "Campaigns of the week of 2026-11-16 wasn't sent: internal error of Callsheet",
    ]);
  });

  it('of the same recipient on another day keeps its key, so that it is known since when it is active', () => {
    const key = (day: string) => diagnosed({ deliveries: [message({ day })] })[0]!.key;
    expect(key('2026-11-19')).toBe(key('2026-11-20'));
  });

  it('that went out incomplete is a note: a corrected digest follows by itself', () => {
    const incomplete = [
      { name: 'Campaigns', every: 'day' as const, day: '2026-11-20', lacking: ['Coast', 'North'] },
    ];
    expect(diagnosed({ incomplete })).toMatchObject([
      { severity: 'note', title: 'Campaigns of 2026-11-20 went out incomplete: Coast and North missing' },
    ]);
  });
});

describe('a run', () => {
  it('that is yet to come says what it loads', () => {
    const [alert] = diagnosed({ accounts: [], lastRun: null });
    expect(alert).toMatchObject({ code: 'NOTHING_LOADED', severity: 'warning' });
    expect(diagnosed({ accounts: [account({ since: null })], lastRun: null })).toHaveLength(1);
    // A backfill before it says from when on days are expected.
    expect(diagnosed({ lastRun: null })).toEqual([]);
  });

  it('that was interrupted, or that an error ended, is an alert until the next one', () => {
    expect(titles(diagnosed({ lastRun: lastRun({ state: 'interrupted' }) }))).toEqual([
      'The last nightly run was interrupted',
    ]);
    const error = { code: 'WAREHOUSE_UNAVAILABLE', detail: 'the connection was lost' } as const;
    const [ended] = diagnosed({ lastRun: lastRun({ error }) });
    expect(ended).toMatchObject({
      title: 'The last nightly run ended: database unavailable',
      cause: 'the connection was lost. The next run tries again.',
    });
    const migrated = diagnosed({
      lastRun: lastRun({ error: { code: 'SCHEMA_TOO_OLD', detail: 'lacks one' } }),
    });
    expect(commands(migrated[0]!)).toEqual(['npm start -- migrate', 'npm start -- run']);
  });

  it('that could not send a digest is an alert of its own for each', () => {
    const digestErrors = [
      {
        digest: 'Campaigns',
        every: 'day',
        day: '2026-11-20',
        code: 'INTERNAL',
        detail: 'digest: an internal error',
        isBuilt: false,
      },
    ] as const;
    const alerts = diagnosed({ lastRun: lastRun({ digestErrors }) });
    expect(alerts.map((alert) => [alert.key, ...commands(alert)])).toEqual([
      ['INTERNAL/Campaigns/digest', 'npm start -- digest --day 2026-11-20 --digest Campaigns'],
    ]);
  });
});

describe('a recorded alert', () => {
  const deliveries = [message({ day: '2026-11-19' }), message()];
  const affects = deliveries.map(({ digest, day }) => `${digest} of ${day}`);
  const recorded = (dismissed: string[]) =>
    new Map([['MAIL_REFUSED/ana@example.com', { since: '2026-11-18', dismissed }]]);

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
    const more = [...deliveries, message({ digest: 'Weekly' })];
    expect(diagnosed({ deliveries: more, recorded: recorded(affects) })[0]!.severity).toBe('error');
  });
});
