import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DueDigestsInput, digestsDue, ledgerStart } from '../../../src/job/digests/due.ts';
import { type Every, everyChoices } from '../../../src/model/period.ts';
import { definition } from '../../digest/figures.ts';
import { rounds } from '../../support/rounds.ts';

const accounts = ['north', 'coast', 'valley'] as const;
const names = ['Campaigns', 'North only', 'North'] as const;

const range = (from: string, count: number) =>
  Array.from({ length: count }, (_, index) => Temporal.PlainDate.from(from).add({ days: index }).toString());

/** From a Monday in January to a Sunday in March: six weeks, and the whole of February. */
const days = range('2026-01-26', 42);
/** The days around: periods begin before and end after. */
const calendar = range('2026-01-01', 90);
const someDay = fc.constantFrom(...days);
/** Days where much begins or ends: the first and last of weeks and months. */
const edge = fc.constantFrom(
  '2026-01-26',
  '2026-01-31',
  '2026-02-01',
  '2026-02-02',
  '2026-02-28',
  '2026-03-01',
);

const window = { account: fc.constantFrom(...accounts), day: fc.oneof(someDay, edge) };
const state = fc.constantFrom('loaded', 'provisional', 'failed', null);
/** All that there may be is loaded but for some windows: months are whole as often as not. */
const ledgers = fc
  .tuple(
    fc.integer({ min: 0, max: 42 }),
    fc.integer({ min: 0, max: 42 }),
    fc.array(fc.record({ ...window, state }), { maxLength: 8 }),
  )
  .map(([from, to, others]) => {
    const key = (each: { account: string; day: string }) => `${each.account} ${each.day}`;
    const loaded = accounts.flatMap((account) =>
      days
        .slice(Math.min(from, to), Math.max(from, to))
        .map((day) => ({ account, day, state: 'loaded' as const })),
    );
    const entries = new Map([...loaded, ...others].map((each) => [key(each), each]));
    return [...entries.values()].flatMap(({ account, day, state }) =>
      state === null ? [] : [{ account, day, state }],
    );
  });

const every = fc.constantFrom<Every>(...everyChoices);
const plans: fc.Arbitrary<DueDigestsInput> = fc.record({
  digests: fc
    .uniqueArray(fc.constantFrom(...names))
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map((name) =>
          fc
            .tuple(every, fc.subarray([...accounts], { minLength: 1 }))
            .map(([every, accounts]) => definition({ name, every, accounts })),
        ),
      ),
    ),
  ledger: ledgers,
  attempted: fc.array(fc.record(window), { maxLength: 6 }),
  settled: fc.array(fc.record({ name: fc.constantFrom(...names), every, day: window.day }), { maxLength: 4 }),
  starts: fc.uniqueArray(
    fc.record({
      name: fc.constantFrom(...names),
      every,
      day: window.day,
    }),
    { selector: ({ name, every }) => `${name} ${every}` },
  ),
  since: fc
    .array(fc.tuple(fc.constantFrom(...accounts), fc.option(window.day, { freq: 2 })))
    .map((entries) => new Map(entries)),
  caughtUpFrom: fc
    .tuple(...accounts.map(() => fc.oneof(fc.constant('2026-01-01'), window.day)))
    .map((firsts) => new Map(accounts.map((account, index) => [account, firsts[index]!]))),
  catchUp: fc.integer({ min: 0, max: 4 }),
});

const group = (every: Every, day: string): string => {
  const { yearOfWeek, weekOfYear } = Temporal.PlainDate.from(day);
  return { day, week: `${yearOfWeek}-${weekOfYear}`, month: day.slice(0, 7) }[every];
};

/** The last days of the periods that nothing keeps from being due, one by one, straight from the design. */
function openDays(
  plan: DueDigestsInput,
  { name, every, accounts }: DueDigestsInput['digests'][number],
): string[] {
  const periods = [...Map.groupBy(calendar, (day) => group(every, day)).values()];
  const open = periods.filter((period) => {
    const last = period.at(-1)!;
    const start = plan.starts.find((each) => each.name === name && each.every === every);
    const reach = (account: string) => plan.caughtUpFrom.get(account)!;
    if ((start && last <= start.day) || accounts.every((account) => last < reach(account))) return false;
    const first = (account: string) => plan.since.get(account) ?? period[0]!;
    if (accounts.some((account) => first(account) > last)) return false;
    if (accounts.every((account) => first(account) > period[0]!)) return false;
    if (plan.settled.some((each) => each.name === name && each.every === every && each.day === last))
      return false;
    return period.every((day) =>
      accounts.every((account) => {
        const here = (each: { account: string; day: string }) => each.account === account && each.day === day;
        const isLoaded = plan.ledger.some((each) => here(each) && each.state === 'loaded');
        const isExpected = day >= first(account);
        const isOver = day < reach(account) || plan.attempted.some(here);
        return isLoaded || !isExpected || isOver;
      }),
    );
  });
  return open.map((period) => period.at(-1)!);
}

const forDigest = <T extends { digest: { name: string } }>(list: readonly T[], name: string) =>
  list.filter((each) => each.digest.name === name);

test('every open period of a digest is due or skipped, never both and never twice', () => {
  const seen = { day: 0, week: 0, month: 0 };
  fc.assert(
    fc.property(plans, (plan) => {
      const { due, skipped } = digestsDue(plan);
      for (const digest of plan.digests) {
        const own = forDigest(due, digest.name).map((each) => each.day);
        const rest = forDigest(skipped, digest.name).map((each) => each.day);
        expect([...rest, ...own]).toEqual(openDays(plan, digest));
        expect(own).toHaveLength(Math.min(plan.catchUp, own.length + rest.length));
        seen[digest.every] += own.length;
      }
    }),
    { numRuns: rounds(1_000) },
  );
  for (const every of everyChoices) expect(seen[every], every).toBeGreaterThan(0);
});

test('the periods without a digest of their own are named in the newest one, and only there', () => {
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
      const done = [...due, ...skipped].map(({ digest: { name, every }, day }) => ({ name, every, day }));
      expect(digestsDue({ ...plan, settled: [...plan.settled, ...done] })).toEqual({ due: [], skipped: [] });
    }),
  );
});

test('neither the order of the ledger nor that of the attempts matters, nor what is before its start', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const reversed = { ...plan, ledger: plan.ledger.toReversed(), attempted: plan.attempted.toReversed() };
      expect(digestsDue(reversed)).toEqual(digestsDue(plan));
      const start = ledgerStart(plan.digests, [...plan.caughtUpFrom.values()].sort()[0]!);
      expect(digestsDue({ ...plan, ledger: plan.ledger.filter(({ day }) => day >= start) })).toEqual(
        digestsDue(plan),
      );
    }),
  );
});
