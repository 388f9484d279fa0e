import { expect, test } from 'vitest';
import { digestsWaived } from '../../src/planning/digests-waived.ts';

const account = (name: string, timeZone: string) => ({ name, label: name, timeZone });
const accounts = [account('apia', 'Pacific/Apia'), account('honolulu', 'Pacific/Honolulu')];
const digests = [
  { name: 'Both', accounts: ['apia', 'honolulu'] },
  { name: 'Apia', accounts: ['apia'] },
];

/** At noon of the tenth in London it is the eleventh in Apia and still the tenth in Honolulu. */
const now = Temporal.Instant.from('2026-03-10T12:00Z');
const waived = (...windows: (readonly [account: string, day: string])[]) =>
  digestsWaived({ digests, accounts, now, windows: windows.map(([account, day]) => ({ account, day })) }).map(
    ({ name, day }) => `${name} ${day}`,
  );

test('history is waived once for each digest that has the account, and for no other', () => {
  expect(waived(['apia', '2026-03-02'], ['honolulu', '2026-03-02'])).toEqual([
    'Both 2026-03-02',
    'Apia 2026-03-02',
  ]);
  expect(waived(['honolulu', '2026-03-02'])).toEqual(['Both 2026-03-02']);
  expect(waived()).toEqual([]);
});

test('what is yesterday for any account of a digest is the news of its night', () => {
  expect(waived(['apia', '2026-03-10'])).toEqual([]);
  expect(waived(['apia', '2026-03-09'])).toEqual(['Apia 2026-03-09']);
  expect(waived(['apia', '2026-03-08'])).toEqual(['Both 2026-03-08', 'Apia 2026-03-08']);
});
