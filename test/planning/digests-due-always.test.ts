import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DueDigestsInput, digestsDue } from '../../src/planning/digests-due.ts';
import { definition } from '../digest/figures.ts';
import { rounds } from '../support/rounds.ts';

const accounts = ['north', 'coast', 'valley'] as const;
const days = ['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02', '2026-03-03'] as const;
const names = ['Campaigns', 'North only', 'North'] as const;

const window = { account: fc.constantFrom(...accounts), day: fc.constantFrom(...days) };
const plans: fc.Arbitrary<DueDigestsInput> = fc.record({
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
      syncedRunDate: fc.constantFrom('2026-03-03', null),
    }),
    { selector: ({ account, day }) => `${account} ${day}`, minLength: 5, maxLength: 15 },
  ),
  attempted: fc.array(fc.record(window), { maxLength: 6 }),
  settled: fc.array(fc.record({ name: fc.constantFrom(...names), day: window.day }), { maxLength: 4 }),
  starts: fc.uniqueArray(
    fc.record({
      name: fc.constantFrom(...names),
      dueFrom: fc.option(fc.constantFrom(...days), { freq: 2 }),
    }),
    { selector: ({ name }) => name },
  ),
  since: fc
    .array(fc.tuple(fc.constantFrom(...accounts), fc.option(fc.constantFrom(...days), { freq: 2 })))
    .map((entries) => new Map(entries)),
  earliest: fc.constantFrom('2026-01-01', '2026-01-01', ...days),
  catchUp: fc.integer({ min: 0, max: 4 }),
});

/** The days of a digest that nothing keeps from being due, one by one, straight from the design. */
function openDays(plan: DueDigestsInput, digest: DueDigestsInput['digests'][number]): string[] {
  return days.filter((day) => {
    const { dueFrom } = plan.starts.find(({ name }) => name === digest.name) ?? { dueFrom: null };
    if (dueFrom !== null && day < dueFrom) return false;
    if (day < plan.earliest) return false;
    if (digest.accounts.some((account) => day < (plan.since.get(account) ?? day))) return false;
    if (plan.settled.some((each) => each.name === digest.name && each.day === day)) return false;
    return digest.accounts.every((account) => {
      const here = (each: { account: string; day: string }) => each.account === account && each.day === day;
      return plan.ledger.some((each) => here(each) && each.state === 'loaded') || plan.attempted.some(here);
    });
  });
}

const forDigest = <T extends { digest: { name: string } }>(list: readonly T[], name: string) =>
  list.filter((each) => each.digest.name === name);

test('every open day of a digest is due or skipped, never both and never twice', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const { due, skipped } = digestsDue(plan);
      for (const digest of plan.digests) {
        const own = forDigest(due, digest.name).map((each) => each.day);
        const rest = forDigest(skipped, digest.name).map((each) => each.day);
        expect([...rest, ...own]).toEqual(openDays(plan, digest));
        expect(own).toHaveLength(Math.min(plan.catchUp, own.length + rest.length));
      }
    }),
    { numRuns: rounds(1_000) },
  );
});

test('the days without a digest of their own are named in the newest one, and only there', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const { due, skipped } = digestsDue(plan);
      for (const { name } of plan.digests) {
        const own = forDigest(due, name);
        const rest = forDigest(skipped, name).map((each) => each.day);
        const named = own.map((each) => each.earlierDays);
        expect(named).toEqual(own.map((_, index) => (index === own.length - 1 ? rest : [])));
      }
    }),
  );
});

test('nothing is due any more once all of it is settled', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const { due, skipped } = digestsDue(plan);
      const done = [...due, ...skipped].map(({ digest, day }) => ({ name: digest.name, day }));
      expect(digestsDue({ ...plan, settled: [...plan.settled, ...done] })).toEqual({ due: [], skipped: [] });
    }),
  );
});

test('neither the order of the ledger nor that of the attempts matters', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const reversed = { ...plan, ledger: plan.ledger.toReversed(), attempted: plan.attempted.toReversed() };
      expect(digestsDue(reversed)).toEqual(digestsDue(plan));
    }),
  );
});
