import { expect, test } from 'vitest';
import { digestsSkipped } from '../../../src/job/digests/due.ts';

const account = (name: string, timeZone: string) => ({ name, label: name, timeZone });
const accounts = [account('apia', 'Pacific/Apia'), account('honolulu', 'Pacific/Honolulu')];
const digests = [
  { name: 'Both', every: 'day' as const, accounts: ['apia', 'honolulu'] },
  { name: 'Apia', every: 'day' as const, accounts: ['apia'] },
];

/** At noon of the tenth in London it is the eleventh in Apia and still the tenth in Honolulu. */
const now = Temporal.Instant.from('2026-03-10T12:00Z');
const skipped = (...windows: (readonly [account: string, day: string])[]) =>
  digestsSkipped({
    digests,
    accounts,
    now,
    windows: windows.map(([account, day]) => ({ account, day })),
  }).map(({ name, day }) => `${name} ${day}`);

test('a day of history is skipped once for each digest that has the account, and for no other', () => {
  expect(skipped(['apia', '2026-03-02'], ['honolulu', '2026-03-02'])).toEqual([
    'Both 2026-03-02',
    'Apia 2026-03-02',
  ]);
  expect(skipped(['honolulu', '2026-03-02'])).toEqual(['Both 2026-03-02']);
  expect(skipped()).toEqual([]);
});

test('a day that is yesterday for any account of a digest is not skipped', () => {
  expect(skipped(['apia', '2026-03-10'])).toEqual([]);
  expect(skipped(['apia', '2026-03-09'])).toEqual(['Apia 2026-03-09']);
  expect(skipped(['apia', '2026-03-08'])).toEqual(['Both 2026-03-08', 'Apia 2026-03-08']);
});
