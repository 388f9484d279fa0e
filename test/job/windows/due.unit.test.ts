import { describe, expect, test } from 'vitest';
import {
  type DueWindowsInput,
  type ExpectedAccount,
  weeklyDayOf,
  windowKey,
  windowsDue,
  windowsMissing,
  windowsOf,
} from '../../../src/job/windows/due.ts';
import { addDays, daysBetween } from '../../../src/model/day.ts';
import type { LedgerEntry } from '../../../src/model/window.ts';

const account = (name: string, timeZone = 'UTC', since: string | null = null): ExpectedAccount => ({
  name,
  label: name,
  timeZone,
  since,
});
const now = Temporal.Instant.from('2026-11-19T06:30:00Z');
const runDate = '2026-11-19';
const last = '2026-11-18';

/** A day that has settled: reported the same on two run dates. */
const settled = (day: string, part: Partial<LedgerEntry> = {}): LedgerEntry => ({
  account: 'main',
  day,
  state: 'loaded',
  failed: false,
  failedRunDate: null,
  errorSign: null,
  held: false,
  isOver: true,
  syncedRunDate: '2026-11-18',
  isSettled: true,
  ...part,
});

const plan = (part: Partial<DueWindowsInput>): DueWindowsInput => ({
  accounts: [account('main', 'UTC', '2026-11-01')],
  ledger: [],
  now,
  runDate,
  lookbackDays: 3,
  catchUpDays: 31,
  isAsked: () => false,
  ...part,
});
const days = (part: Partial<DueWindowsInput>) => windowsDue(plan(part)).map((window) => window.day);
const lastDays = ['2026-11-18', '2026-11-17', '2026-11-16'];

/** The ledger from `since` to yesterday, all settled, but for some days. */
const ledger = (...others: LedgerEntry[]): LedgerEntry[] => {
  const all = daysBetween('2026-11-01', last).map((day) => settled(day));
  return [...all.filter((entry) => !others.some((other) => other.day === entry.day)), ...others];
};

describe('a run without dates', () => {
  test('syncs yesterday and nothing else after a new install', () => {
    expect(days({ accounts: [account('main')] })).toEqual([last]);
  });

  test('syncs the accounts of one day in the order of the settings', () => {
    const accounts = ['b', 'a', 'c'].map((name) => account(name, 'UTC', '2026-11-17'));
    expect(windowsDue(plan({ accounts })).map(windowKey)).toEqual([
      ...['b', 'a', 'c'].map((name) => `2026-11-18 ${name}`),
      ...['b', 'a', 'c'].map((name) => `2026-11-17 ${name}`),
    ]);
  });

  test('syncs the yesterday of each account, in its own zone', () => {
    const accounts = [account('samoa', 'Pacific/Apia'), account('la', 'America/Los_Angeles')];
    expect(windowsDue(plan({ accounts }))).toEqual([
      { account: 'samoa', day: '2026-11-18' },
      { account: 'la', day: '2026-11-17' },
    ]);
  });

  test('syncs the last days, newest first, however settled they are', () => {
    expect(days({ ledger: ledger() })).toEqual(lastDays);
    expect(days({ ledger: ledger(), lookbackDays: 0 })).toEqual([last]);
    expect(days({ ledger: ledger(), lookbackDays: 1 })).toEqual([last]);
  });

  test('syncs all three days after three nights down, beside what it always syncs', () => {
    const before = ledger().filter((entry) => entry.day < '2026-11-16');
    const syncedRunDate = '2026-11-16';
    const unsettled = settled('2026-11-15', { syncedRunDate, isSettled: false });
    expect(days({ ledger: [...before.slice(0, -1), unsettled] })).toEqual([...lastDays, '2026-11-15']);
  });

  test.each<[string, Partial<LedgerEntry>]>([
    ['failed and never loaded', { state: 'failed', failed: true, syncedRunDate: null, isSettled: false }],
    ['failed at the last attempt', { failed: true }],
    ['is provisional', { state: 'provisional', isSettled: false }],
    ['was not over', { state: 'provisional', isOver: false }],
    ['is held', { held: true }],
    ['is not settled', { syncedRunDate: '2026-11-12', isSettled: false }],
  ])('syncs an old day that %s', (_, part) => {
    expect(days({ ledger: ledger(settled('2026-11-10', part)) })).toEqual([...lastDays, '2026-11-10']);
  });

  test('syncs an old day that is missing, back to the first day and as far as it catches up', () => {
    expect(days({ ledger: [] })).toEqual(daysBetween('2026-11-01', last).toReversed());
    expect(days({ ledger: [], catchUpDays: 5 })).toEqual(daysBetween('2026-11-14', last).toReversed());
  });

  test('syncs a window once a run date, unless it failed or its day was not over', () => {
    const onRunDate = (part: Partial<LedgerEntry> = {}) =>
      settled(last, { syncedRunDate: runDate, isSettled: false, ...part });
    expect(days({ ledger: ledger(onRunDate()) })).toEqual(['2026-11-17', '2026-11-16']);
    expect(days({ ledger: ledger(onRunDate({ held: true })) })).toEqual(['2026-11-17', '2026-11-16']);
    expect(days({ ledger: ledger(onRunDate({ state: 'provisional' })) })).toEqual([
      '2026-11-17',
      '2026-11-16',
    ]);
    expect(days({ ledger: ledger(onRunDate({ failed: true })) })).toEqual(lastDays);
    expect(days({ ledger: ledger(onRunDate({ state: 'provisional', isOver: false })) })).toEqual(lastDays);
  });
});

test('a run with dates syncs exactly those days of each account, due or not', () => {
  const accounts = [account('north'), account('coast')];
  expect(windowsOf(accounts, ['2026-11-02', '2026-11-01'])).toEqual([
    { account: 'north', day: '2026-11-02' },
    { account: 'coast', day: '2026-11-02' },
    { account: 'north', day: '2026-11-01' },
    { account: 'coast', day: '2026-11-01' },
  ]);
});

test('a backfill loads days that are over and not confirmed, or held, newest first, all accounts of a day together', () => {
  const accounts = [account('apia', 'Pacific/Apia'), account('la', 'America/Los_Angeles')];
  const entry = (name: string, day: string, state: LedgerEntry['state']) => ({
    account: name,
    day,
    state,
    held: false,
  });
  const missing = windowsMissing({
    accounts,
    ledger: [
      entry('apia', '2026-11-17', 'loaded'),
      entry('la', '2026-11-17', 'provisional'),
      entry('la', '2026-11-16', 'loaded'),
      entry('apia', '2026-11-16', 'failed'),
      { ...entry('la', '2026-11-15', 'loaded'), held: true },
      entry('apia', '2026-11-15', 'loaded'),
    ],
    now,
    from: '2026-11-15',
    to: '2026-11-20',
  });
  // At half past six of the nineteenth in London it is the eighteenth in Los Angeles.
  expect(missing.map(windowKey)).toEqual([
    '2026-11-18 apia',
    '2026-11-17 la',
    '2026-11-16 apia',
    '2026-11-15 la',
  ]);
});

test('once a week all days are due, back to CATCH_UP_DAYS, of each account on a weekday that its name gives', () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `office ${index}`);
  const byWeekday = Map.groupBy(names, weeklyDayOf);
  expect([...byWeekday.keys()].sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  const day = addDays('2026-11-15', weeklyDayOf(names[0]!));
  const dueOn = (runDate: string) =>
    windowsDue({
      accounts: [account(names[0]!, 'UTC', '2026-01-01')],
      ledger: daysBetween('2026-10-01', addDays(runDate, -1)).map((each) => ({
        ...settled(each, { account: names[0]!, syncedRunDate: '2026-10-01' }),
      })),
      now: Temporal.Instant.from(`${runDate}T06:30:00Z`),
      runDate,
      isAsked: () => false,
      lookbackDays: 3,
      catchUpDays: 31,
    }).length;
  expect(daysBetween(day, addDays(day, 6)).map(dueOn)).toEqual([31, 3, 3, 3, 3, 3, 3]);
  // An equal share is 286.
  for (const { length } of byWeekday.values()) expect(Math.abs(length - 2_000 / 7)).toBeLessThan(60);
});
