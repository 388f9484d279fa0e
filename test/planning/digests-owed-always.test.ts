import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestsOwed, type OwedPlan } from '../../src/planning/digests-owed.ts';
import { definition } from '../digest/figures.ts';

const accounts = ['north', 'coast', 'valley'] as const;
const days = ['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02', '2026-03-03'] as const;
const names = ['Campaigns', 'North only', 'North'] as const;

const window = { account: fc.constantFrom(...accounts), day: fc.constantFrom(...days) };
const plans: fc.Arbitrary<OwedPlan> = fc.record({
  digests: fc
    .uniqueArray(fc.constantFrom(...names))
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map((name) =>
          fc.subarray([...accounts], { minLength: 1 }).map((accounts) => definition({ name, accounts })),
        ),
      ),
    ),
  ledger: fc.uniqueArray(
    fc.record({
      ...window,
      state: fc.constantFrom('loaded', 'loaded', 'loaded', 'provisional', 'failed'),
      pulledNight: fc.constantFrom('2026-03-03', null),
    }),
    { selector: ({ account, day }) => `${account} ${day}`, minLength: 5, maxLength: 15 },
  ),
  tried: fc.array(fc.record(window), { maxLength: 6 }),
  settled: fc.array(fc.record({ name: fc.constantFrom(...names), day: window.day }), { maxLength: 4 }),
  starts: fc.uniqueArray(
    fc.record({
      name: fc.constantFrom(...names),
      owesFrom: fc.option(fc.constantFrom(...days), { freq: 2 }),
    }),
    { selector: ({ name }) => name },
  ),
  catchUp: fc.integer({ min: 0, max: 4 }),
});

/** The days of a digest that nothing stands in the way of, one by one, straight from the words of the design. */
function openDays(plan: OwedPlan, digest: OwedPlan['digests'][number]): string[] {
  return days.filter((day) => {
    const { owesFrom } = plan.starts.find(({ name }) => name === digest.name) ?? { owesFrom: null };
    if (owesFrom !== null && day < owesFrom) return false;
    if (plan.settled.some((each) => each.name === digest.name && each.day === day)) return false;
    return digest.accounts.every((account) => {
      const here = (each: { account: string; day: string }) => each.account === account && each.day === day;
      return plan.ledger.some((each) => here(each) && each.state === 'loaded') || plan.tried.some(here);
    });
  });
}

const forDigest = <T extends { digest: { name: string } }>(list: readonly T[], name: string) =>
  list.filter((each) => each.digest.name === name);

test('every open day of a digest is owed or waived, never both and never twice', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const { owed, waived } = digestsOwed(plan);
      for (const digest of plan.digests) {
        const own = forDigest(owed, digest.name).map((each) => each.day);
        const rest = forDigest(waived, digest.name).map((each) => each.day);
        expect([...rest, ...own]).toEqual(openDays(plan, digest));
        expect(own).toHaveLength(Math.min(plan.catchUp, own.length + rest.length));
      }
    }),
    { numRuns: 1_000 },
  );
});

test('the days without a digest of their own are named in the newest one, and only there', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const { owed, waived } = digestsOwed(plan);
      for (const { name } of plan.digests) {
        const own = forDigest(owed, name);
        const rest = forDigest(waived, name).map((each) => each.day);
        const named = own.map((each) => each.earlierDays);
        expect(named).toEqual(own.map((_, index) => (index === own.length - 1 ? rest : [])));
      }
    }),
  );
});

test('nothing is owed any more once all of it is settled', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const { owed, waived } = digestsOwed(plan);
      const done = [...owed, ...waived].map(({ digest, day }) => ({ name: digest.name, day }));
      expect(digestsOwed({ ...plan, settled: [...plan.settled, ...done] })).toEqual({ owed: [], waived: [] });
    }),
  );
});

test('neither the order of the ledger nor that of the tries matters', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const turned = { ...plan, ledger: plan.ledger.toReversed(), tried: plan.tried.toReversed() };
      expect(digestsOwed(turned)).toEqual(digestsOwed(plan));
    }),
  );
});
