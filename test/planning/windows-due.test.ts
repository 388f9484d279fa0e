import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Account } from '../../src/model/account.ts';
import type { LedgerEntry } from '../../src/model/window.ts';
import { windowKey, windowsAsked, windowsDue } from '../../src/planning/windows-due.ts';
import { dayByIntl, moment, zones } from './zoned-instants.ts';

const account = (name: string, timeZone = 'UTC'): Account => ({ name, label: name, timeZone });
const now = Temporal.Instant.from('2026-11-19T06:30:00Z');
const night = '2026-11-19';
const entry = (part: Partial<LedgerEntry>): LedgerEntry => ({
  account: 'main',
  day: '2026-11-18',
  state: 'loaded',
  pulledNight: night,
  ...part,
});

describe('a run without dates', () => {
  const due = (ledger: readonly LedgerEntry[], accounts = [account('main')]) =>
    windowsDue({ accounts, ledger, now, night });

  test('pulls yesterday and nothing else for a new install', () => {
    expect(due([])).toEqual([{ account: 'main', day: '2026-11-18' }]);
  });

  test('pulls the yesterday of each account, as its own zone tells it', () => {
    const accounts = [account('samoa', 'Pacific/Apia'), account('la', 'America/Los_Angeles')];
    expect(due([], accounts)).toEqual([
      { account: 'samoa', day: '2026-11-18' },
      { account: 'la', day: '2026-11-17' },
    ]);
  });

  test('pulls a window once a night', () => {
    expect(due([entry({})])).toEqual([]);
    expect(due([entry({ pulledNight: '2026-11-18' })])).toHaveLength(1);
  });

  test('pulls again tonight what failed, was provisional, or was never pulled', () => {
    expect(due([entry({ state: 'failed' })])).toHaveLength(1);
    expect(due([entry({ state: 'failed', pulledNight: null })])).toHaveLength(1);
    expect(due([entry({ state: 'provisional' })])).toHaveLength(1);
  });

  test('takes neither another account’s entry nor another day’s for its own', () => {
    expect(due([entry({ account: 'other' }), entry({ day: '2026-11-17' })])).toHaveLength(1);
  });
});

describe('whatever the ledger holds', () => {
  const names = ['north', 'coast', 'main office', 'a', 'a b'] as const;
  const accounts = fc
    .uniqueArray(fc.constantFrom(...names), { minLength: 1 })
    .chain((chosen) =>
      fc.tuple(...chosen.map((name) => fc.constantFrom(...zones).map((zone) => account(name, zone)))),
    );
  const days = fc.integer({ min: -3, max: 1 });
  const entries = fc.array(
    fc.record({
      account: fc.constantFrom(...names),
      ago: days,
      state: fc.constantFrom('loaded', 'provisional', 'failed'),
      tonight: fc.boolean(),
    }),
  );
  const plan = fc.tuple(accounts, entries, moment).map(([accounts, parts, { now, zone }]) => {
    const dayAt = (shift: number) => dayByIntl(now.epochMilliseconds + shift * 86_400_000, zone);
    const ledger = parts.map(
      (part): LedgerEntry => ({
        account: part.account,
        day: dayAt(part.ago),
        state: part.state,
        pulledNight: part.tonight ? dayAt(0) : dayAt(-1),
      }),
    );
    return { accounts, ledger, now, night: dayAt(0) };
  });

  test('each account has at most one window, in the order of the accounts, and never today’s', () => {
    fc.assert(
      fc.property(plan, (plan) => {
        const due = windowsDue(plan);
        const names = plan.accounts.map((each) => each.name);
        expect(due.map((window) => window.account)).toEqual(
          names.filter((name) => due.some((window) => window.account === name)),
        );
        for (const { account, day } of due) {
          const zone = plan.accounts.find((each) => each.name === account)!.timeZone;
          expect(day < dayByIntl(plan.now.epochMilliseconds, zone)).toBe(true);
        }
      }),
    );
  });

  test('nothing is due any more once all that was due is loaded, in whatever order the ledger tells it', () => {
    fc.assert(
      fc.property(plan, (plan) => {
        const loaded = windowsDue(plan).map((window) =>
          entry({ ...window, state: 'loaded', pulledNight: plan.night }),
        );
        expect(windowsDue({ ...plan, ledger: [...plan.ledger, ...loaded] })).toEqual([]);
        expect(windowsDue({ ...plan, ledger: plan.ledger.toReversed() })).toEqual(windowsDue(plan));
      }),
    );
  });

  test('two windows have one key only if they are the same', () => {
    const window = fc.record({
      account: fc.constantFrom(...names),
      day: fc.constantFrom('2026-11-18', '2026-11-17'),
    });
    fc.assert(
      fc.property(window, window, (one, other) => {
        const same = one.account === other.account && one.day === other.day;
        expect(windowKey(one) === windowKey(other)).toBe(same);
      }),
    );
  });
});

test('a run with dates pulls exactly those days of each account, the earliest first', () => {
  const accounts = [account('north'), account('samoa', 'Pacific/Apia')];
  expect(windowsAsked(accounts, ['2026-02-28', '2026-03-01'])).toEqual([
    { account: 'north', day: '2026-02-28' },
    { account: 'samoa', day: '2026-02-28' },
    { account: 'north', day: '2026-03-01' },
    { account: 'samoa', day: '2026-03-01' },
  ]);
  expect(windowsAsked(accounts, [])).toEqual([]);
});
