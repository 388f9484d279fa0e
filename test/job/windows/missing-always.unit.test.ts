import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type MissingWindowsInput, windowsMissing } from '../../../src/job/windows/due.ts';
import { daysBetween, isOver } from '../../../src/model/day.ts';

const zones = { apia: 'Pacific/Apia', london: 'Europe/London', honolulu: 'Pacific/Honolulu' };
const names = ['apia', 'london', 'honolulu'] as const;
const days = daysBetween('2026-02-24', '2026-03-12');

const plans: fc.Arbitrary<MissingWindowsInput> = fc.record({
  accounts: fc
    .subarray([...names], { minLength: 1 })
    .map((chosen) => chosen.map((name) => ({ name, label: name, timeZone: zones[name], since: null }))),
  ledger: fc.uniqueArray(
    fc.record({
      account: fc.constantFrom(...names),
      day: fc.constantFrom(...days),
      state: fc.constantFrom('loaded', 'provisional', 'failed'),
    }),
    { selector: ({ account, day }) => `${account} ${day}`, maxLength: 40 },
  ),
  now: fc.integer({ min: 0, max: 48 * 60 }).map((minutes) => {
    return Temporal.Instant.from('2026-03-09T00:00Z').add({ minutes });
  }),
  from: fc.constantFrom(...days),
  to: fc.constantFrom(...days),
});

test('every window of the range that is over and not loaded is planned once, and no other', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const planned = windowsMissing(plan).map(({ account, day }) => `${day} ${account}`);
      const wanted = daysBetween(plan.from, plan.to).flatMap((day) =>
        plan.accounts
          .filter(({ timeZone }) => isOver(day, timeZone, plan.now))
          .filter(
            ({ name }) =>
              !plan.ledger.some(
                (entry) => entry.account === name && entry.day === day && entry.state === 'loaded',
              ),
          )
          .map(({ name }) => `${day} ${name}`),
      );
      expect(planned.toSorted()).toEqual(wanted.toSorted());
    }),
  );
});

test('newer days come first, and what is loaded meanwhile leaves the order of the rest as it was', () => {
  fc.assert(
    fc.property(plans, fc.nat(), (plan, pick) => {
      const planned = windowsMissing(plan);
      const order = planned.map(({ day }) => day);
      expect(order).toEqual(order.toSorted().toReversed());
      if (planned.length === 0) return;
      const done = planned[pick % planned.length]!;
      const ledger = [
        ...plan.ledger.filter((entry) => entry.account !== done.account || entry.day !== done.day),
        { ...done, state: 'loaded' as const },
      ];
      expect(windowsMissing({ ...plan, ledger })).toEqual(planned.filter((window) => window !== done));
    }),
  );
});
