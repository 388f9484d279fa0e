import { expect, test } from 'vitest';
import { digestStarts } from '../../../src/job/digests/due.ts';
import type { LedgerEntry } from '../../../src/model/window.ts';
import { definition } from '../../digest/figures.ts';

const account = (name: string, timeZone = 'UTC') => ({ name, label: name, timeZone });
const accounts = [account('north'), account('coast')];
const both = definition({ name: 'Both', accounts: ['north', 'coast'] });
const entry = (account: string, day: string, part: Partial<LedgerEntry> = {}) => ({
  account,
  day,
  state: 'loaded' as LedgerEntry['state'],
  isOver: true,
  ...part,
});

/** Thursday, 19 November 2026, in the morning. */
const now = Temporal.Instant.from('2026-11-19T06:30Z');
type Ledger = readonly ReturnType<typeof entry>[];
const start = (ledger: Ledger, digest = both, of = accounts, at = now) =>
  digestStarts([digest], of, ledger, at)[0]!.day;

test('a new digest begins with yesterday, which is about to be loaded', () => {
  expect(digestStarts([both], accounts, [], now)).toEqual([
    { name: 'Both', every: 'day', day: '2026-11-17' },
  ]);
  expect(
    start(['2026-11-15', '2026-11-17'].flatMap((day) => [entry('north', day), entry('coast', day)])),
  ).toBe('2026-11-17');
});

test('it begins with today once yesterday is loaded and over for all of its accounts, confirmed or not', () => {
  const north = entry('north', '2026-11-18');
  const other = entry('valley', '2026-11-18');
  for (const coast of [
    [],
    [entry('coast', '2026-11-18', { state: 'failed' })],
    [entry('coast', '2026-11-18', { state: 'provisional', isOver: false })],
  ])
    expect(start([north, other, ...coast])).toBe('2026-11-17');
  for (const state of ['loaded', 'provisional'] as const)
    expect(start([north, entry('coast', '2026-11-18', { state })])).toBe('2026-11-18');
});

test('yesterday is over for each of its accounts, and no other account counts', () => {
  // In Apia it is Thursday night, in Honolulu Wednesday night.
  const zones = [account('apia', 'Pacific/Apia'), account('honolulu', 'Pacific/Honolulu')];
  const of = (...names: string[]) => start([], definition({ accounts: names }), zones, now);
  expect([of('apia'), of('honolulu'), of('apia', 'honolulu')]).toEqual([
    '2026-11-17',
    '2026-11-16',
    '2026-11-16',
  ]);
});

test('a digest of weeks or months begins with the one that goes on, or that ended yesterday and isn’t loaded', () => {
  const begun = (every: 'week' | 'month', morning: string, ledger: Ledger = []) =>
    start(
      ledger,
      definition({ every, accounts: ['north'] }),
      accounts,
      Temporal.Instant.from(`${morning}T06:30Z`),
    );
  expect(begun('week', '2026-11-19')).toBe('2026-11-15');
  expect(begun('week', '2026-11-16')).toBe('2026-11-08');
  expect(begun('week', '2026-11-16', [entry('north', '2026-11-15')])).toBe('2026-11-15');
  expect(begun('month', '2026-11-19')).toBe('2026-10-31');
  expect(begun('month', '2026-12-01')).toBe('2026-10-31');
  expect(begun('month', '2026-12-01', [entry('north', '2026-11-30')])).toBe('2026-11-30');
});
