import { expect, test } from 'vitest';
import { laggingAccounts } from '../../src/planning/lagging-accounts.ts';

const account = (name: string, timeZone: string) => ({ name, label: name, timeZone });
const accounts = [account('madrid', 'Europe/Madrid'), account('honolulu', 'Pacific/Honolulu')];
const both = { name: 'Both', every: 'day' as const, accounts: ['madrid', 'honolulu'] };
const one = { name: 'One', every: 'day' as const, accounts: ['honolulu'] };

const lagging = (now: string) =>
  laggingAccounts({ digests: [both, one], accounts, now: Temporal.Instant.from(now) });

test('a digest waits for accounts where the day that is over for its others is not', () => {
  expect(lagging('2026-03-03T06:30:00Z')).toEqual([
    { digest: 'Both', day: '2026-03-02', accounts: [accounts[1]] },
  ]);
});

test('no digest waits once the day is over for all of its accounts', () => {
  expect(lagging('2026-03-03T09:59:59Z')).toHaveLength(1);
  expect(lagging('2026-03-03T10:00:00Z')).toEqual([]);
});

test('the day is that of the account that is furthest ahead, and a week is waited for on its last day alone', () => {
  const three = [account('apia', 'Pacific/Apia'), ...accounts];
  const names = three.map(({ name }) => name);
  const waiting = (every: 'day' | 'week', now: string) =>
    laggingAccounts({
      digests: [{ name: 'All', every, accounts: names }],
      accounts: three,
      now: Temporal.Instant.from(now),
    });
  // It is Tuesday in Apia, Monday in Madrid, and Sunday in Honolulu.
  expect(waiting('day', '2026-03-09T10:30:00Z')).toEqual([]);
  expect(waiting('day', '2026-03-09T11:30:00Z')).toEqual([{ digest: 'All', day: '2026-03-09', accounts }]);
  expect(waiting('week', '2026-03-09T11:30:00Z')).toEqual([]);
  expect(waiting('week', '2026-03-09T06:30:00Z')).toEqual([
    { digest: 'All', day: '2026-03-08', accounts: [accounts[1]] },
  ]);
});

test('no digest waits whose accounts are not in the settings', () => {
  const digests = [{ name: 'Gone', every: 'day' as const, accounts: ['gone'] }];
  expect(laggingAccounts({ digests, accounts, now: Temporal.Instant.from('2026-03-03T06:30:00Z') })).toEqual(
    [],
  );
});
