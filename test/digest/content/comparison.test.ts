import { describe, expect, test } from 'vitest';
import {
  compare,
  countChangeText,
  markingAccounts,
  whyLeftOut,
} from '../../../src/digest/content/comparison.ts';
import { createFormat } from '../../../src/digest/format.ts';
import type { AccountTotals, Typical } from '../../../src/model/digest.ts';
import { periodOf } from '../../../src/model/period.ts';
import { anomalies, figures, provisionalBy, totalsOf, typical } from '../figures.ts';

const compareDay = (accounts: readonly AccountTotals[], typical: readonly Typical[]) =>
  compare(figures({ accounts, typical }));

describe('a day', () => {
  test('is compared account by account, and in sum without those that it names', () => {
    const accounts = [
      totalsOf('north', 1_000),
      totalsOf('new', 5_000),
      { ...totalsOf('failed', 0), state: 'missing' as const },
      { ...totalsOf('doubtful', 100), ...provisionalBy(anomalies.announced) },
    ];
    const usual = ['north', 'failed', 'doubtful'].map((account) => typical(account, 800));
    const { total, accounts: each, leftOut } = compareDay(accounts, usual)!;
    expect(total.counts.attempts).toEqual({ now: 1_000, reference: 800 });
    expect([...each.keys()]).toEqual(['north']);
    expect(leftOut.map(({ account }) => account)).toEqual(['new', 'failed', 'doubtful']);
  });

  test('has a rate over the same accounts on both sides: one that made no calls now counts before', () => {
    const idle = { ...totalsOf('coast', 0, 0), campaigns: 0 };
    const usual = [typical('north', 100, 50), typical('coast', 900, 810)];
    const { connectRate } = compareDay([totalsOf('north', 100, 50), idle], usual)!.total;
    expect(connectRate).toMatchObject({ now: 0.5, reference: 0.86 });
  });

  test('has a rate without the accounts that report none', () => {
    const silent = { ...totalsOf('coast', 900, 0), rates: unknownRates };
    const usual = [typical('north', 100, 40), typical('coast', 900, 810)];
    const { connectRate } = compareDay([totalsOf('north', 100, 50), silent], usual)!.total;
    expect(connectRate).toMatchObject({ now: 0.5, reference: 0.4 });
  });
});

const unknownRates = {
  connects: { part: null, attempts: null },
  liveAnswers: { part: null, attempts: null },
  busies: { part: null, attempts: null },
};

test('a month is compared per day with calls: months have more or fewer working days', () => {
  const period = periodOf('month', '2026-11-30');
  const usual = { ...typical('north', 22_000), callingDays: { now: 20, typical: 22 } };
  const { counts } = compare(
    figures({ period, accounts: [totalsOf('north', 22_000)], typical: [usual] }),
  )!.total;
  expect(counts.attempts).toEqual({ now: 22_000, reference: 20_000 });
});

describe('accounts that are provisional or not loaded mark a digest', () => {
  const doubtful = (account: string) => ({ ...totalsOf(account, 7), ...provisionalBy(anomalies.announced) });
  const missing = (account: string) => ({ ...totalsOf(account, 0), state: 'missing' as const });
  const markedBy = (
    some: readonly AccountTotals[],
    typical: readonly Typical[],
    others = [totalsOf('north', 1_000)],
  ) => markingAccounts(figures({ accounts: [...others, ...some], typical })).map(({ account }) => account);

  test.each([
    ['a little under 5%', 49, 951, []],
    ['5%', 50, 950, ['one']],
    ['nearly all', 951, 49, ['one']],
  ])('if they typically make %s of the attempts, whatever they made now', (_, own, others, marking) => {
    const usual = [typical('one', own), typical('north', others)];
    const one = doubtful('one');
    expect(markedBy([one], usual)).toEqual(marking);
    expect(markedBy([{ ...one, attempts: 0n }], usual)).toEqual(marking);
    expect(markedBy([{ ...one, attempts: 90_000n }], usual)).toEqual(marking);
    expect(markedBy([missing('one')], usual)).toEqual(marking);
  });

  test('all together', () => {
    const usual = [typical('one', 30), typical('other', 30), typical('north', 1_000)];
    expect(markedBy([doubtful('one')], usual)).toEqual([]);
    expect(markedBy([doubtful('one'), missing('other')], usual)).toEqual(['one', 'other']);
  });

  test('but for new ones, of which nothing is typical', () => {
    const usual = [typical('one', 500), typical('north', 500)];
    expect(markedBy([doubtful('new'), missing('newer')], [typical('north', 1_000)])).toEqual([]);
    expect(markedBy([doubtful('one'), doubtful('new')], usual)).toEqual(['one']);
  });

  test('in any case if nothing is typical of any, or there is no other', () => {
    expect(markedBy([doubtful('new')], [])).toEqual(['new']);
    expect(markedBy([doubtful('one')], [], [])).toEqual(['one']);
  });
});

test('a change of a rate is of a hundred attempts on each side, and an account is new for eight weeks', () => {
  const rateOf = (now: number, usual: number) =>
    compareDay([totalsOf('north', now)], [typical('north', usual)])!.total.connectRate;
  expect([rateOf(100, 100), rateOf(99, 100), rateOf(100, 99)].map((rate) => rate === null)).toEqual([
    false,
    true,
    true,
  ]);
  const format = createFormat('en-GB', 'UTC', '2026-11-19');
  const why = (since: string) => whyLeftOut({ ...totalsOf('north', 100), since }, '2026-11-19', format);
  expect([why('2026-09-25'), why('2026-09-24')]).toEqual(['new since 25 Sept', null]);
});

test('a change is a percentage, but few attempts are a number, and a small base is named', () => {
  const format = createFormat('en-GB', 'UTC', '2026-11-19');
  const text = (now: number, reference: number) =>
    countChangeText({ now, reference }, { every: 'day' }, format);
  expect([text(119, 100), text(120, 100), text(109, 100), text(40, 19), text(100, 100)]).toEqual([
    '+19',
    '+20%',
    '+9%',
    'typically 19',
    'no change',
  ]);
});
