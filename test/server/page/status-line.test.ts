import { describe, expect, it } from 'vitest';
import type { WalkState } from '../../../src/model/walk.ts';
import type { Overview } from '../../../src/server/page/overview.ts';
import { statusLine } from '../../../src/server/page/status-line.ts';
import type { AccountStatus } from '../../../src/warehouse/queries/status.ts';

const completeWalk: WalkState = {
  outcome: 'complete',
  runDate: '2026-11-20',
  problem: null,
  completeAt: '2026-11-20 06:30:00+00',
  completeRunDate: '2026-11-20',
  incompleteSince: null,
  unbelievable: 0,
  unbelievableSince: null,
};
const brokenWalk: WalkState = {
  ...completeWalk,
  outcome: 'incomplete',
  problem: 'page 7 failed',
  incompleteSince: '2026-11-20',
};

const account = (changes: Partial<AccountStatus> = {}): AccountStatus => ({
  account: 'north',
  timeZone: 'UTC',
  since: '2026-03-01',
  completeThrough: '2026-11-19',
  gaps: [],
  held: [],
  suspicious: [],
  disagreeing: [],
  notRefreshed: [],
  settling: 3,
  quarantined: 0,
  walk: completeWalk,
  ...changes,
});

const run = (outcome: string | null): Overview['runs'][number] => ({
  run: 7,
  command: 'schedule',
  startedAt: '2026-11-20 06:30:00+00',
  retryAt: null,
  finishedAt: outcome && '2026-11-20 06:31:00+00',
  outcome,
  exitCode: 0,
  summary: {},
  exclusive: true,
});

const unsent = (state: 'refused' | 'failed' | 'pending' | 'sending') => ({
  digest: 'Campaigns',
  day: '2026-11-19',
  recipient: 'ana@example.com',
  state,
  reply: null,
});

const scheduled = (last: Overview['scheduled']['last']): Overview['scheduled'] => ({
  lastSuccessAt: '2026-11-20 06:31:00+00',
  lastStartedAt: '2026-11-20 06:30:00+00',
  last,
});

const overview = (changes: Partial<Overview> = {}): Overview => ({
  now: Temporal.Instant.from('2026-11-20T12:00:00Z'),
  timeZone: 'UTC',
  nextRun: null,
  accounts: [account()],
  from: '2026-08-24',
  coverage: [],
  runs: [run('done')],
  scheduled: scheduled(run('done')),
  unsent: [],
  quarantine: [],
  ...changes,
});

const status = (changes: Partial<Overview>) => Object.values(statusLine(overview(changes)));

describe('the status line', () => {
  it('is good if every day is loaded, and shows the earliest of the accounts’ last days', () => {
    const accounts = [account(), account({ account: 'coast', completeThrough: '2026-11-18' })];
    expect(status({ accounts })).toEqual([
      'good',
      'Everything is all right: every day is loaded through Wed 18 Nov.',
    ]);
  });

  it('is good between midnight and the nightly run, which loads yesterday', () => {
    const waiting = {
      now: Temporal.Instant.from('2026-11-21T01:00:00Z'),
      accounts: [account({ gaps: ['2026-11-20'] })],
    };
    expect(status(waiting)).toEqual([
      'good',
      'Everything is all right: every day is loaded through Thu 19 Nov, and the next run loads Fri 20 Nov.',
    ]);
    const ran = { ...scheduled(run('partial')), lastStartedAt: '2026-11-21 00:30:00+00' };
    expect(status({ ...waiting, scheduled: ran })).toEqual(['bad', "1 day of north isn't loaded."]);
  });

  it('takes midnight from each account’s zone', () => {
    const now = Temporal.Instant.from('2026-11-20T12:00:00Z');
    const ahead = account({ timeZone: 'Pacific/Auckland', gaps: ['2026-11-20'] });
    expect(status({ now, accounts: [ahead] })[0]).toBe('good');
    expect(status({ now, accounts: [account({ gaps: ['2026-11-19'] })] })[0]).toBe('bad');
  });

  it('is bad if days are missing, mail is not delivered or the last run failed, in one sentence', () => {
    const accounts = [
      account({ gaps: ['2026-11-18', '2026-11-19'] }),
      account({ account: 'coast', gaps: ['2026-11-01'] }),
    ];
    const all = { accounts, unsent: [unsent('refused')], scheduled: scheduled(run('failed')) };
    expect(status(all)).toEqual([
      'bad',
      "The last run failed, 3 days of 2 accounts aren't loaded and 1 message wasn't delivered.",
    ]);
    // Minor concerns don't replace grave ones.
    expect(status({ ...all, accounts: [account({ held: ['2026-11-01'] })] })).toEqual([
      'bad',
      "The last run failed and 1 message wasn't delivered.",
    ]);
  });

  it('is bad if a client list has no complete walk, and needs attention if over half of its clients are missing', () => {
    const unbelievable = { ...completeWalk, unbelievable: 380, unbelievableSince: '2026-11-20' };
    expect(status({ accounts: [account({ walk: brokenWalk })] })).toEqual([
      'bad',
      'The client list of north is incomplete.',
    ]);
    const both = [account({ walk: brokenWalk }), account({ account: 'coast', walk: brokenWalk })];
    expect(status({ accounts: both })[1]).toBe('The client lists of 2 accounts are incomplete.');
    expect(status({ accounts: [account({ walk: unbelievable })] })).toEqual([
      'attention',
      'Over half of the clients of north are missing.',
    ]);
  });

  it('needs attention if a loaded day is not refreshed, a response is held, calls are missing or records are in quarantine', () => {
    const accounts = [
      account({
        notRefreshed: ['2026-11-18'],
        held: ['2026-11-01'],
        suspicious: ['2026-11-02', '2026-11-03'],
        quarantined: 12,
      }),
    ];
    expect(status({ accounts, scheduled: scheduled(run('interrupted')) })).toEqual([
      'attention',
      "The last run was interrupted, 1 loaded day couldn't be fetched again, 1 response is held, 2 suspicious days and 12 records in quarantine.",
    ]);
  });

  it('ignores mail that the run in progress is about to send', () => {
    const mail = [unsent('pending'), unsent('sending')];
    expect(status({ runs: [run(null), run('done')], unsent: mail })[0]).toBe('good');
    expect(status({ runs: [run('done')], unsent: mail })[0]).toBe('bad');
    expect(status({ runs: [run(null)], unsent: [unsent('failed')] })[0]).toBe('bad');
  });

  it('ignores backfills, in progress or failed', () => {
    const backfill = { ...run(null), exclusive: false };
    expect(status({ runs: [backfill, run('done')], unsent: [unsent('pending')] })[0]).toBe('bad');
    expect(status({ runs: [{ ...run('failed'), exclusive: false }, run('done')] })[0]).toBe('good');
  });

  it('of a new installation says what the first run loads', () => {
    const sentence = 'Nothing is loaded yet: the first run loads yesterday.';
    const none = { runs: [], scheduled: { lastSuccessAt: null, lastStartedAt: null, last: null } };
    expect(status({ ...none, accounts: [] })).toEqual(['attention', sentence]);
    expect(status({ ...none, accounts: [account({ since: null, completeThrough: null })] })).toEqual([
      'attention',
      sentence,
    ]);
  });
});
