import { describe, expect, test } from 'vitest';
import { type DueInput, ledgerStart, mailsDue, periodsDue } from '../../../src/job/digests/due.ts';
import type { MailedPeriod } from '../../../src/model/digest.ts';
import type { LedgerEntry } from '../../../src/model/window.ts';
import { accountTotals, definition } from '../../digest/figures.ts';

const digest = (name: string, ...accounts: string[]) => definition({ name, accounts });
const both = digest('Both', 'north', 'coast');
const entry = (account: string, day: string, part: Partial<LedgerEntry> = {}) => ({
  account,
  day,
  state: 'loaded' as LedgerEntry['state'],
  isOver: true,
  ...part,
});

/** A run catches up on both accounts from that day on. */
const from = (day: string) => new Map(['north', 'coast'].map((account) => [account, day]));

/** A period that somebody has. */
const row = (part: Partial<MailedPeriod>): MailedPeriod => ({
  name: 'Both',
  every: 'day',
  day: '2026-11-18',
  state: 'built',
  isTold: true,
  recipients: [],
  isStart: false,
  correctable: null,
  ...part,
});

const input = (part: Partial<DueInput>): DueInput => ({
  digests: [both],
  periods: [],
  ledger: [],
  attempted: [],
  since: new Map([
    ['north', '2026-01-01'],
    ['coast', '2026-01-01'],
  ]),
  caughtUpFrom: from('2026-01-01'),
  ...part,
});

/** What is due, as short lines. */
function plan(part: Partial<DueInput>): string[] {
  const given = input(part);
  const due = given.digests.flatMap((digest) => periodsDue(digest, given));
  return due.map(({ digest, day }) => `${digest.name} ${day}`);
}

test('a digest is due when each of its accounts has the day loaded', () => {
  const north = entry('north', '2026-11-18');
  expect(plan({ ledger: [north] })).toEqual([]);
  expect(plan({ ledger: [north, entry('coast', '2026-11-17')] })).toEqual([]);
  expect(plan({ ledger: [north, entry('coast', '2026-11-18')] })).toEqual(['Both 2026-11-18']);
  expect(plan({ digests: [digest('North', 'north'), both], ledger: [north] })).toEqual(['North 2026-11-18']);
});

test('no digest is due for a day before its accounts began, nor for one beyond CATCH_UP_DAYS', () => {
  const days = ['2026-11-15', '2026-11-16', '2026-11-17'];
  const ledger = days.flatMap((day) => [entry('north', day), entry('coast', day)]);
  const due = (part: Partial<DueInput>) => plan({ ledger, ...part }).map((line) => line.slice(5));
  expect(due({})).toEqual(days);
  expect(due({ since: new Map([['coast', '2026-11-16']]) })).toEqual(days.slice(1));
  expect(due({ caughtUpFrom: from('2026-11-17') })).toEqual(days.slice(2));
});

test('a day that failed, or wasn’t over, is waited for until its attempts are over', () => {
  for (const open of [{ state: 'failed' as const }, { state: 'provisional' as const, isOver: false }]) {
    const ledger = [entry('north', '2026-11-18'), entry('coast', '2026-11-18', open)];
    expect(plan({ ledger }), open.state).toEqual([]);
    const attempted = [{ account: 'coast', day: '2026-11-18' }];
    expect(plan({ ledger, attempted }), open.state).toEqual(['Both 2026-11-18']);
  }
});

test('a provisional day that was over is mailed as it is', () => {
  const ledger = ['north', 'coast'].map((account) => entry(account, '2026-11-18', { state: 'provisional' }));
  expect(plan({ ledger })).toEqual(['Both 2026-11-18']);
});

test('a day that was attempted and is not in the ledger is due, too', () => {
  const attempted = ['north', 'coast'].map((account) => ({ account, day: '2026-11-18' }));
  expect(plan({ attempted })).toEqual(['Both 2026-11-18']);
});

test('what was built or skipped is not due again, and settles neither another day nor another digest', () => {
  const ledger = [entry('north', '2026-11-17'), entry('north', '2026-11-18')];
  const digests = [digest('A', 'north'), digest('B', 'north')];
  const of = (part: Partial<MailedPeriod>) =>
    plan({ digests, ledger, periods: [row({ name: 'A', ...part })] });
  const others = ['A 2026-11-17', 'B 2026-11-17', 'B 2026-11-18'];
  expect(of({})).toEqual(others);
  expect(of({ state: 'skipped', isTold: false })).toEqual(others);
  // What nobody got is.
  expect(of({ isTold: false })).toEqual(['A 2026-11-17', 'A 2026-11-18', 'B 2026-11-17', 'B 2026-11-18']);
});

test('the day that a digest begins after and those before it are not due', () => {
  const ledger = ['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19'].map((day) => entry('north', day));
  const digests = [digest('Old', 'north'), digest('New', 'north')];
  const periods = [
    row({ name: 'Old', day: '2026-11-15', state: 'skipped', isStart: true }),
    row({ name: 'New', day: '2026-11-18', state: 'skipped', isStart: true }),
  ];
  expect(plan({ digests, ledger, periods })).toEqual([
    ...['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19'].map((day) => `Old ${day}`),
    'New 2026-11-19',
  ]);
});

describe('the mails of a run', () => {
  const [a, b] = [digest('A', 'north'), digest('B', 'north')];
  const days = (...numbers: number[]) => numbers.map((number) => entry('north', `2026-11-${number}`));
  const told = (name: string, number: number) => row({ name, day: `2026-11-${number}` });
  const reported = [accountTotals({ account: 'north' })];
  const correction = (number: number, part: Partial<MailedPeriod['correctable']> = {}, name = 'A') =>
    row({
      name,
      day: `2026-11-${number}`,
      correctable: { reported, isConfirmed: true, isWaiting: false, ...part },
    });
  const mails = (part: Partial<DueInput>, isChanged = true) =>
    mailsDue(input({ digests: [a, b], ...part }), () => isChanged).map(({ digest, day, before, earlier }) => {
      const named = [{ day, before }, ...earlier].map(
        (each) => `${each.day.slice(8)}${each.before === null ? '' : ' corrected'}`,
      );
      return `${digest.name} ${named.join(', ')}`;
    });

  test('are one for each digest: its newest period, with the earlier ones and the corrections, oldest first', () => {
    const periods = [correction(15), correction(17), told('A', 19), told('B', 16), told('B', 19)];
    expect(
      mails({ ledger: days(16, 18, 19, 20), periods: periods.filter(({ day }) => day !== '2026-11-19') }),
    ).toEqual(['A 20, 15 corrected, 16, 17 corrected, 18, 19', 'B 20, 18, 19']);
  });

  test('tell again what nobody got, but only with something new: alone it is delivered as it was built', () => {
    const untold = row({ name: 'A', day: '2026-11-17', isTold: false });
    const waiting = [untold, correction(16, { isWaiting: true })];
    const given = { digests: [a], ledger: days(17), periods: waiting };
    expect(mails(given)).toEqual([]);
    const withNews = { ...given, ledger: days(17, 18) };
    expect(mails(withNews)).toEqual(['A 18, 16 corrected, 17']);
    expect(
      mailsDue(input(withNews), () => true)[0]!.supersedes.map(({ kind, day }) => `${kind} ${day}`),
    ).toEqual(['corrected 2026-11-16', 'first 2026-11-17']);
    // Built without the rest, which is there by now, it is outdated.
    const outdated = { ...untold, correctable: { reported, isConfirmed: true, isWaiting: false } };
    expect(mails({ ...given, periods: [outdated] })).toEqual(['A 17']);
  });

  test('are corrections where nothing else is due: the newest of a digest, with the others', () => {
    expect(mails({ periods: [correction(15), correction(16, {}, 'B'), correction(17)] })).toEqual([
      'A 17 corrected, 15 corrected',
      'B 16 corrected',
    ]);
    expect(mails({ periods: [correction(15)] }, false)).toEqual([]);
  });

  test('correct a period however long ago, once all its days are confirmed', () => {
    const old = (isConfirmed: boolean) => ({ ...correction(15, { isConfirmed }), day: '2024-02-29' });
    const given = { digests: [a], caughtUpFrom: from('2026-11-15') };
    expect(mails({ ...given, periods: [old(true)] })).toEqual(['A 29 corrected']);
    expect(mails({ ...given, periods: [old(false)] })).toEqual([]);
  });

  test('have a correction of a newer day in the table, too', () => {
    expect(mails({ digests: [a], ledger: days(16), periods: [correction(17)] })).toEqual([
      'A 16, 17 corrected',
    ]);
    expect(mails({})).toEqual([]);
  });

  test('are none of accounts of which no day is expected yet', () => {
    expect(mails({ digests: [a], ledger: days(16), since: new Map([['north', null]]) })).toEqual([]);
  });
});

test('a week is due once each of its days is loaded, or lies before what its account or a run can load', () => {
  const weekly = definition({ name: 'Week', every: 'week', accounts: ['north', 'coast'] });
  const days = [
    '2026-11-09',
    '2026-11-10',
    '2026-11-11',
    '2026-11-12',
    '2026-11-13',
    '2026-11-14',
    '2026-11-15',
  ];
  const loaded = (from: number, ...accounts: string[]) =>
    accounts.flatMap((account) => days.slice(from).map((day) => entry(account, day)));
  const due = (part: Partial<DueInput>) => plan({ digests: [weekly], ...part });
  const both = loaded(0, 'north', 'coast');
  expect(due({ ledger: both })).toEqual(['Week 2026-11-15']);
  expect(due({ ledger: both.slice(1) })).toEqual([]);
  expect(due({ ledger: both.slice(0, -1) })).toEqual([]);
  // Days before CATCH_UP_DAYS count as attempted; the first within them doesn't.
  expect(due({ ledger: loaded(2, 'north', 'coast'), caughtUpFrom: from(days[2]!) })).toEqual([
    'Week 2026-11-15',
  ]);
  expect(due({ ledger: loaded(3, 'north', 'coast'), caughtUpFrom: from(days[2]!) })).toEqual([]);
  // Nor is a day waited for that an account doesn't have: from its first day on it is.
  const since = (day: string) => new Map([['coast', day]]);
  const partly = [...loaded(0, 'north'), ...loaded(3, 'coast')];
  expect(due({ ledger: partly, since: since(days[3]!) })).toEqual(['Week 2026-11-15']);
  expect(due({ ledger: partly, since: since(days[2]!) })).toEqual([]);
  // One account, at least, has all of it.
  const bothSince = (north: string) => new Map([...since(days[3]!), ['north', north]]);
  expect(due({ ledger: partly, since: bothSince(days[0]!) })).toEqual(['Week 2026-11-15']);
  expect(due({ ledger: partly, since: bothSince(days[1]!) })).toEqual([]);
});

test('no week is due that ended before CATCH_UP_DAYS, or before the digest began', () => {
  const weekly = definition({ name: 'Week', every: 'week', accounts: ['north'] });
  const ledger = [entry('north', '2026-11-15')];
  const due = (part: Partial<DueInput>) =>
    plan({
      digests: [weekly],
      ledger,
      since: new Map(),
      attempted: [],
      caughtUpFrom: from('2026-11-15'),
      ...part,
    });
  const start = (every: 'day' | 'week', day: string) => ({
    periods: [row({ name: 'Week', every, day, state: 'skipped', isStart: true })],
  });
  expect(due({})).toEqual(['Week 2026-11-15']);
  expect(due({ caughtUpFrom: from('2026-11-16') })).toEqual([]);
  expect(due({ ...start('week', '2026-11-01'), caughtUpFrom: from('2026-11-16') })).toEqual([]);
  expect(due(start('week', '2026-11-08'))).toEqual(['Week 2026-11-15']);
  expect(due(start('week', '2026-11-15'))).toEqual([]);
  // That of a daily digest of the same name is another's.
  expect(due(start('day', '2026-11-15'))).toEqual(['Week 2026-11-15']);
});

test('the ledger is needed from the first day of the periods that may be due', () => {
  const start = (...every: ('day' | 'week' | 'month')[]) =>
    ledgerStart(
      every.map((each) => ({ every: each })),
      '2026-11-18',
    );
  expect(start()).toBe('2026-11-18');
  expect(start('day')).toBe('2026-11-18');
  expect(start('day', 'week')).toBe('2026-11-16');
  expect(start('month', 'week')).toBe('2026-11-01');
});
