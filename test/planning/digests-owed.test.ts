import { expect, test } from 'vitest';
import type { LedgerEntry } from '../../src/model/window.ts';
import { digestsOwed, type OwedPlan } from '../../src/planning/digests-owed.ts';
import { definition } from '../digest/figures.ts';

const digest = (name: string, ...accounts: string[]) => definition({ name, accounts });
const both = digest('Both', 'north', 'coast');
const entry = (account: string, day: string, state: LedgerEntry['state'] = 'loaded') => ({
  account,
  day,
  state,
  pulledNight: '2026-11-19',
});

/** What is owed and waived, as short lines. */
function plan(part: Partial<OwedPlan>) {
  const { owed, waived } = digestsOwed({
    digests: [both],
    ledger: [],
    tried: [],
    settled: [],
    starts: [],
    catchUp: 3,
    ...part,
  });
  const named = (days: readonly string[]) => (days.length > 0 ? ` with ${days.join(', ')}` : '');
  return {
    owed: owed.map(({ digest, day, earlierDays }) => `${digest.name} ${day}${named(earlierDays)}`),
    waived: waived.map(({ digest, day }) => `${digest.name} ${day}`),
  };
}

test('a digest is owed when each of its accounts has the day loaded', () => {
  const north = entry('north', '2026-11-18');
  expect(plan({ ledger: [north] }).owed).toEqual([]);
  expect(plan({ ledger: [north, entry('coast', '2026-11-17')] }).owed).toEqual([]);
  expect(plan({ ledger: [north, entry('coast', '2026-11-18')] }).owed).toEqual(['Both 2026-11-18']);
});

test('a failed or provisional day is waited for until its tries are over', () => {
  for (const state of ['failed', 'provisional'] as const) {
    const ledger = [entry('north', '2026-11-18'), entry('coast', '2026-11-18', state)];
    expect(plan({ ledger }).owed, state).toEqual([]);
    const tried = [{ account: 'coast', day: '2026-11-18' }];
    expect(plan({ ledger, tried }).owed, state).toEqual(['Both 2026-11-18']);
  }
});

test('a day that was tried and never entered the ledger is owed, too', () => {
  const tried = ['north', 'coast'].map((account) => ({ account, day: '2026-11-18' }));
  expect(plan({ tried }).owed).toEqual(['Both 2026-11-18']);
});

test('a digest waits only for its own accounts', () => {
  const ledger = [entry('north', '2026-11-18'), entry('coast', '2026-11-18', 'failed')];
  const digests = [digest('North', 'north'), digest('Coast', 'coast'), both];
  expect(plan({ digests, ledger }).owed).toEqual(['North 2026-11-18']);
});

test('what was built or waived is not owed again, and settles neither another day nor another digest', () => {
  const ledger = [entry('north', '2026-11-17'), entry('north', '2026-11-18')];
  const digests = [digest('A', 'north'), digest('B', 'north')];
  const settled = [{ name: 'A', day: '2026-11-18' }];
  expect(plan({ digests, ledger, settled }).owed).toEqual(['A 2026-11-17', 'B 2026-11-17', 'B 2026-11-18']);
});

test('days before a digest began are none of its news: neither owed nor named', () => {
  const ledger = ['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19'].map((day) => entry('north', day));
  const digests = [digest('Old', 'north'), digest('New', 'north')];
  const starts = [
    { name: 'Old', owesFrom: null },
    { name: 'New', owesFrom: '2026-11-19' },
  ];
  expect(plan({ digests, ledger, starts, catchUp: 2 })).toEqual({
    owed: ['Old 2026-11-18', 'Old 2026-11-19 with 2026-11-16, 2026-11-17', 'New 2026-11-19'],
    waived: ['Old 2026-11-16', 'Old 2026-11-17'],
  });
});

test('of several days the newest get digests of their own, oldest first, and the newest names the rest', () => {
  const days = ['2026-03-01', '2026-02-27', '2026-02-28', '2026-02-26'];
  const ledger = days.map((day) => entry('north', day));
  const digests = [digest('A', 'north')];
  expect(plan({ digests, ledger, catchUp: 2 })).toEqual({
    owed: ['A 2026-02-28', 'A 2026-03-01 with 2026-02-26, 2026-02-27'],
    waived: ['A 2026-02-26', 'A 2026-02-27'],
  });
  expect(plan({ digests, ledger, catchUp: 1 }).owed).toEqual([
    'A 2026-03-01 with 2026-02-26, 2026-02-27, 2026-02-28',
  ]);
  expect(plan({ digests, ledger, catchUp: 4 }).waived).toEqual([]);
});

test('without digests wanted, every day that was ready is waived', () => {
  const ledger = [entry('north', '2026-11-17'), entry('north', '2026-11-18')];
  expect(plan({ digests: [digest('A', 'north')], ledger, catchUp: 0 })).toEqual({
    owed: [],
    waived: ['A 2026-11-17', 'A 2026-11-18'],
  });
});
