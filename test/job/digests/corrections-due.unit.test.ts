import { expect, test } from 'vitest';
import { correctable, correctionsDue, isSameAsMailed } from '../../../src/job/digests/due.ts';
import type { DigestDefinition, MailedPeriod } from '../../../src/model/digest.ts';
import { countNames } from '../../../src/model/records.ts';
import { accountTotals, definition } from '../../digest/figures.ts';

const day = '2026-11-18';
const both = definition({ name: 'Both', accounts: ['north', 'coast'] });
const reported = [
  accountTotals({ account: 'north', label: 'north', attempts: 600 }),
  accountTotals({ account: 'coast', label: 'coast', attempts: null, state: 'missing' }),
];
const first: MailedPeriod = {
  name: 'Both',
  every: 'day',
  day,
  state: 'built',
  isTold: true,
  recipients: [],
  isStart: false,
  correctable: { reported, isConfirmed: true, isWaiting: false },
};
const due = (digest: DigestDefinition, ...periods: readonly MailedPeriod[]) =>
  correctionsDue(digest, periods).map(({ digest, day }) => `${digest.name} ${digest.every} ${day}`);

test('a digest that somebody has is corrected once all its days are confirmed', () => {
  expect(due(both, first)).toEqual(['Both day 2026-11-18']);
  const open = { ...first, correctable: { ...first.correctable!, isConfirmed: false } };
  expect(due(both, open, { ...first, isTold: false }, { ...first, correctable: null })).toEqual([]);
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

test('the correction knows what the first digest reported, and whether it waits for its delivery', () => {
  expect(correctionsDue(both, [first])).toEqual([{ digest: both, day, before: reported, isWaiting: false }]);
});

test('a digest is corrected by its own definition: not by one of weeks, nor by that of another name', () => {
  const weekly = definition({ name: 'Both', every: 'week', accounts: ['north', 'coast'] });
  const other = definition({ name: 'Other', accounts: ['north', 'coast'] });
  expect([...due(weekly, first), ...due(other, first)]).toEqual([]);
  expect(due(weekly, { ...first, every: 'week' })).toEqual(['Both week 2026-11-18']);
});

test('a digest that is gone, or is now of other accounts, is not corrected', () => {
  for (const accounts of [['north'], ['north', 'valley'], ['north', 'coast', 'valley']]) {
    expect(due({ ...both, accounts }, first), accounts.join()).toEqual([]);
    expect(correctable([{ ...both, accounts }], [first])).toEqual([]);
  }
  expect(correctable([], [first])).toEqual([]);
  expect(correctable([both], [first])).toEqual([{ digest: both, first }]);
});
