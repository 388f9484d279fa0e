import fc from 'fast-check';
import { expect, test } from 'vitest';
import { correctionsDue, type DueCorrectionsInput, isCorrectable } from '../../src/planning/digests-due.ts';
import { accountTotals, definition } from '../digest/figures.ts';

const day = '2026-11-18';
const both = definition({ name: 'Both', accounts: ['north', 'coast'] });

const reported = (account: string, attempts: number | null, state: 'loaded' | 'failed' = 'loaded') =>
  accountTotals({ account, label: account, attempts, state });
const entry = (account: string, state: 'loaded' | 'failed' | 'provisional' = 'loaded', settled = true) => ({
  account,
  day,
  state,
  sameSinceRunDate: '2026-11-19',
  catchUpLeft: 28,
  syncedRunDate: settled ? '2026-11-20' : '2026-11-19',
});
const current = (account: string, attempts: number) => ({ account, day, attempts: String(attempts) });

/** What is due, as short lines. */
function plan(part: Partial<DueCorrectionsInput>) {
  const whole: DueCorrectionsInput = {
    digests: [both],
    reported: [
      { name: 'Both', day, incomplete: false, reported: [reported('north', 600), reported('coast', 400)] },
    ],
    ledger: [entry('north'), entry('coast')],
    attempts: [current('north', 600), current('coast', 400)],
    ...part,
  };
  return correctionsDue(whole).map((due) => `${due.digest.name} ${due.day}`);
}

test('a digest that reported the current counts needs no correction', () => {
  expect(plan({})).toEqual([]);
});

test('over 1% more or fewer attempts are corrected, 1% is not', () => {
  const north = (attempts: number) => plan({ attempts: [current('north', attempts), current('coast', 400)] });
  expect([590, 591, 609, 610].map((attempts) => north(attempts).length)).toEqual([0, 0, 0, 0]);
  expect([589, 611].map(north)).toEqual([['Both 2026-11-18'], ['Both 2026-11-18']]);
});

test('any number of attempts is over 1% of none', () => {
  const nothing = [
    { name: 'Both', day, incomplete: false, reported: [reported('north', 0), reported('coast', 0)] },
  ];
  expect(plan({ reported: nothing, attempts: [current('north', 1)] })).toEqual(['Both 2026-11-18']);
  expect(plan({ reported: nothing, attempts: [] })).toEqual([]);
});

test('a digest of an account that is gone, or that is gone itself, can never be corrected', () => {
  const digest = { name: 'Both', reported: [reported('north', 600), reported('coast', null, 'failed')] };
  expect(isCorrectable([both], digest)).toBe(true);
  expect(isCorrectable([definition({ name: 'Both', accounts: ['north'] })], digest)).toBe(false);
  expect(isCorrectable([], digest)).toBe(false);
});

test('a digest is corrected by its own definition: not by one of weeks, nor by that of another name', () => {
  const weekly = definition({ name: 'Both', every: 'week', accounts: ['north', 'coast'] });
  const other = definition({ name: 'Other', accounts: ['north', 'coast'] });
  const attempts = [current('north', 900), current('coast', 400)];
  expect(plan({ attempts, digests: [weekly, other] })).toEqual([]);
  expect(plan({ attempts, digests: [other, weekly, both] })).toEqual(['Both 2026-11-18']);
  const reportedThat = { name: 'Both', reported: [reported('north', 600), reported('coast', 400)] };
  expect(isCorrectable([weekly, other], reportedThat)).toBe(false);
  const swapped = definition({ name: 'Both', accounts: ['valley', 'north'] });
  expect(isCorrectable([swapped], reportedThat)).toBe(false);
});

test('a digest is not corrected while its counts still change', () => {
  const attempts = [current('north', 900), current('coast', 400)];
  expect(plan({ attempts, ledger: [entry('north', 'loaded', false), entry('coast')] })).toEqual([]);
  expect(plan({ attempts, ledger: [entry('north'), entry('coast')] })).toEqual(['Both 2026-11-18']);
});

test('an incomplete digest is corrected as soon as its day is complete, settled or not, changed or not', () => {
  const incomplete = [
    {
      name: 'Both',
      day,
      incomplete: true,
      reported: [reported('north', 600), reported('coast', null, 'failed')],
    },
  ];
  for (const state of ['failed', 'provisional'] as const)
    expect(plan({ reported: incomplete, ledger: [entry('north'), entry('coast', state)] }), state).toEqual(
      [],
    );
  expect(plan({ reported: incomplete, ledger: [entry('north')] })).toEqual([]);
  expect(plan({ reported: incomplete, ledger: [entry('north'), entry('coast', 'loaded', false)] })).toEqual([
    'Both 2026-11-18',
  ]);
});

test('a digest that is gone, or is now of other accounts, is not corrected', () => {
  const attempts = [current('north', 900)];
  expect(plan({ attempts, digests: [] })).toEqual([]);
  expect(plan({ attempts, digests: [{ ...both, accounts: ['north'] }] })).toEqual([]);
  expect(plan({ attempts, digests: [{ ...both, accounts: ['north', 'valley'] }] })).toEqual([]);
  const ledger = ['north', 'coast', 'valley'].map((account) => entry(account));
  expect(plan({ attempts, ledger, digests: [{ ...both, accounts: ['north', 'coast', 'valley'] }] })).toEqual(
    [],
  );
});

const count = fc.integer({ min: 0, max: 100_000 });
const state = fc.constantFrom('loaded', 'loaded', 'failed', 'provisional');
const worlds = fc.record({
  before: fc.tuple(count, count),
  now: fc.tuple(count, count),
  near: fc.boolean(),
  incomplete: fc.boolean(),
  states: fc.tuple(state, state),
  settled: fc.tuple(fc.boolean(), fc.boolean()),
});

test('a correction is due exactly where the design says so', () => {
  fc.assert(
    fc.property(worlds, ({ before, now, near, incomplete, states, settled }) => {
      const attempts = near ? before.map((each) => each + (now[0] % 3) - 1) : now;
      const due = plan({
        reported: [
          {
            name: 'Both',
            day,
            incomplete,
            reported: [reported('north', before[0]), reported('coast', before[1])],
          },
        ],
        ledger: [
          entry('north', states[0] as 'loaded', settled[0]),
          entry('coast', states[1] as 'loaded', settled[1]),
        ],
        attempts: [current('north', attempts[0]!), current('coast', attempts[1]!)],
      });
      const complete = states.every((each) => each === 'loaded');
      const sum = before[0] + before[1];
      const difference = Math.abs(attempts[0]! + attempts[1]! - sum);
      const wrong = sum === 0 ? difference > 0 : difference / sum > 0.01;
      const expected = complete && (incomplete || (settled.every(Boolean) && wrong));
      expect(due).toEqual(expected ? ['Both 2026-11-18'] : []);
    }),
    { numRuns: 1_000 },
  );
});
