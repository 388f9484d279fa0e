import { expect, test } from 'vitest';
import { correctable, correctionsDue, isSameAsMailed } from '../../../src/job/digests/due.ts';
import type { DigestDefinition } from '../../../src/model/digest.ts';
import { daysOf, periodOf } from '../../../src/model/period.ts';
import { countNames } from '../../../src/model/records.ts';
import type { LedgerEntry } from '../../../src/model/window.ts';
import { accountTotals, definition } from '../../digest/figures.ts';

const day = '2026-11-18';
const both = definition({ name: 'Both', accounts: ['north', 'coast'] });
const reported = [
  accountTotals({ account: 'north', label: 'north', attempts: 600 }),
  accountTotals({ account: 'coast', label: 'coast', attempts: null, state: 'missing' }),
];
const first = { name: 'Both', every: 'day' as const, day, reported };
const noLimit = new Map<string, string>();
const entry = (account: string, state: LedgerEntry['state'] = 'loaded', on = day) => ({
  account,
  day: on,
  state,
  isOver: true,
});
type Ledger = readonly ReturnType<typeof entry>[];

/** What is due, as short lines. */
const due = (ledger: Ledger, digests: readonly DigestDefinition[] = [both]) =>
  correctionsDue(digests, [first], ledger, noLimit).map(
    ({ digest, day }) => `${digest.name} ${digest.every} ${day}`,
  );
const whole = [entry('north'), entry('coast')];

test('an incomplete digest is corrected as soon as its day is confirmed for all of its accounts', () => {
  for (const state of ['failed', 'provisional'] as const)
    expect(due([entry('north'), entry('coast', state)]), state).toEqual([]);
  expect(due([entry('north')])).toEqual([]);
  expect(due([entry('north'), entry('coast', 'loaded', '2026-11-17')])).toEqual([]);
  expect(due(whole)).toEqual(['Both day 2026-11-18']);
});

test('a provisional digest is corrected once each day of its accounts is confirmed', () => {
  const provisional = reported.map((account) => ({
    ...account,
    state: 'loaded' as const,
    provisionalDays: [{ day, anomalies: [{ code: 'unreadable' as const, records: 1, known: false }] }],
  }));
  const dueAfter = (ledger: Ledger) =>
    correctionsDue([both], [{ ...first, reported: provisional }], ledger, noLimit);
  expect(dueAfter([entry('north'), entry('coast', 'provisional')])).toEqual([]);
  expect(dueAfter(whole)).toHaveLength(1);
});

test('figures that are confirmed as they were mailed are the same: all days, sums and numbers of campaigns', () => {
  const mailed = ['north', 'coast'].map((account) => accountTotals({ account, attempts: 600 }));
  const [north, coast] = mailed as [(typeof mailed)[number], (typeof mailed)[number]];
  expect(isSameAsMailed(mailed, mailed)).toBe(true);
  expect(isSameAsMailed(mailed, [{ ...north, label: 'North' }, coast])).toBe(true);
  // They were provisional then; the order of the accounts is that of the settings.
  const provisionalDays = [{ day, anomalies: [{ code: 'no_calls' as const, known: false }] }];
  expect(isSameAsMailed([coast, { ...north, provisionalDays }], mailed)).toBe(true);
  const unreported = { ...coast, liveAnswers: null };
  expect(isSameAsMailed([north, unreported], [north, { ...coast, liveAnswers: 0n }])).toBe(false);
  expect(isSameAsMailed([north, unreported], [north, unreported])).toBe(true);
  for (const name of countNames)
    expect(isSameAsMailed(mailed, [north, { ...coast, [name]: 7n }])).toBe(false);
  expect(isSameAsMailed(mailed, [north, { ...coast, campaigns: 99 }])).toBe(false);
  expect(isSameAsMailed([north, { ...coast, state: 'incomplete' }], mailed)).toBe(false);
  expect(isSameAsMailed([north], mailed)).toBe(false);
});

test('the correction knows what the first digest reported', () => {
  expect(correctionsDue([both], [first], whole, noLimit)).toEqual([{ digest: both, day, before: reported }]);
});

test('a digest is corrected by its own definition: not by one of weeks, nor by that of another name', () => {
  const weekly = definition({ name: 'Both', every: 'week', accounts: ['north', 'coast'] });
  const other = definition({ name: 'Other', accounts: ['north', 'coast'] });
  expect(due(whole, [weekly, other])).toEqual([]);
  expect(due(whole, [other, weekly, both])).toEqual(['Both day 2026-11-18']);
});

test('a week is corrected once each of its days that was expected of an account is confirmed', () => {
  const weekly = definition({ name: 'Both', every: 'week', accounts: ['north', 'coast'] });
  const days = daysOf(periodOf('week', day));
  const week = { ...first, every: 'week' as const, day: days.at(-1)! };
  const ledger = days.flatMap((each) => both.accounts.map((account) => entry(account, 'loaded', each)));
  const dueAfter = (ledger: Ledger, since = noLimit) =>
    correctionsDue([both, weekly], [week], ledger, since).map(({ digest, day }) => [digest.every, day]);
  expect(dueAfter(ledger)).toEqual([['week', '2026-11-22']]);
  expect(dueAfter(ledger.slice(1))).toEqual([]);
  expect(dueAfter(ledger.slice(1), new Map([['north', days[1]!]]))).toHaveLength(1);
  expect(
    dueAfter(ledger.map((each, index) => (index === 5 ? { ...each, state: 'provisional' as const } : each))),
  ).toEqual([]);
});

test('a digest that is gone, or is now of other accounts, is not corrected', () => {
  const ledger = ['north', 'coast', 'valley'].map((account) => entry(account));
  expect(due(ledger, [])).toEqual([]);
  for (const accounts of [['north'], ['north', 'valley'], ['north', 'coast', 'valley']]) {
    expect(due(ledger, [{ ...both, accounts }]), accounts.join()).toEqual([]);
    expect(correctable([{ ...both, accounts }], [first])).toEqual([]);
  }
  expect(correctable([both], [first])).toEqual([{ digest: both, first }]);
});
