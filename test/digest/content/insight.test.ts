import { describe, expect, test } from 'vitest';
import { factsOf } from '../../../src/digest/content/facts.ts';
import { insightLine } from '../../../src/digest/content/insight.ts';
import { moversTable } from '../../../src/digest/content/tables.ts';
import { createFormat } from '../../../src/digest/format.ts';
import type { AccountTotals, Typical } from '../../../src/model/digest.ts';
import { daysOf, periodOf } from '../../../src/model/period.ts';
import { anomalies, figures, mover, moversOf, provisionalBy, totalsOf, typical } from '../figures.ts';

function line(accounts: readonly AccountTotals[], typical: readonly Typical[], part = {}, locale = 'en-GB') {
  const format = createFormat(locale, 'UTC', '2026-11-19');
  return insightLine(factsOf(figures({ accounts, typical, ...part })), format);
}

const both = [typical('North', 1_000), typical('Coast', 1_000)];
const north = [typical('North', 1_000)];

describe('the sentence of a digest', () => {
  test('says that a normal day is one', () => {
    expect(line([totalsOf('North', 990), totalsOf('Coast', 1_020)], both)).toBe(
      'A normal Thursday: 2,010 attempts, 50.0% connected.',
    );
    expect(line([totalsOf('North', 1_010)], north, {}, 'es')).toBe(
      'Un jueves normal: 1.010 intentos, 50,0\u00a0% de conexión.',
    );
  });

  test('says what changed most, and the campaigns that make up half of it', () => {
    const movers = moversOf([
      mover('Win back', 'North', 300, 0, { since: '2026-11-16' }),
      mover('Renewals', 'North', 100, 180),
      mover('Reminders', 'North', 690, 700),
    ]);
    expect(line([totalsOf('North', 1_210)], north, { movers })).toBe(
      '21% more attempts than on a typical Thursday (+210), mostly Win back (+300, since 16 Nov).',
    );
    const gone = moversOf([mover('Win back', 'North', 0, 300, { noneSince: '2026-11-18' })]);
    expect(line([totalsOf('North', 700)], north, { movers: gone })).toBe(
      '30% fewer attempts than on a typical Thursday (−300), mostly Win back (−300, none since 18 Nov).',
    );
    const two = moversOf([
      mover('A', 'North', 200, 0),
      mover('B', 'North', 180, 0),
      mover('C', 'North', 170, 0),
    ]);
    expect(line([totalsOf('North', 1_550)], north, { movers: two })).toBe(
      '55% more attempts than on a typical Thursday (+550), mostly A (+200) and B (+180).',
    );
  });

  test('names accounts if no campaigns make up half of all that moved, and else counts the campaigns', () => {
    const movers = moversOf([], {
      count: 400,
      moved: { attempts: 400, rate: 0 },
      down: { attempts: 372, rate: 0 },
    });
    const accounts = [totalsOf('North', 800), totalsOf('Coast', 800)];
    expect(line([totalsOf('North', 990), totalsOf('Coast', 780)], both, { movers })).toBe(
      '11% fewer attempts than on a typical Thursday (−230), mostly Coast (−220).',
    );
    expect(line([totalsOf('North', 600)], north, { movers })).toBe(
      '40% fewer attempts than on a typical Thursday (−400): fewer in 372 of 400 campaigns.',
    );
    const alike = Array.from({ length: 12 }, (_, index) => `A${index}`);
    const many = alike.map((account) => typical(account, 1_000));
    expect(
      line(
        alike.map((account) => totalsOf(account, 800)),
        many,
        { movers },
      ),
    ).toBe('20% fewer attempts than on a typical Thursday (−2,400): fewer in 372 of 400 campaigns.');
    expect(line(accounts, both, { movers })).toMatch(/\(−400\): fewer in 372 of 400 campaigns\.$/);
  });

  test('says what that did to the rate, if that moved, too', () => {
    const rate = (now: number, attempts: number, before: number, typically: number) => ({
      rate: {
        now: { part: now, attempts },
        typical: { part: before, attempts: typically },
      },
    });
    const movers = moversOf(
      [mover('Win back', 'North', 500, 0, { since: '2026-11-16', ...rate(100, 500, 0, 0) })],
      { moved: { attempts: 500, rate: 0.1 } },
    );
    expect(line([totalsOf('North', 1_500, 600)], north, { movers })).toBe(
      '50% more attempts than on a typical Thursday (+500), mostly Win back (+500, since 16 Nov). The connect rate fell by 10.0 points, mostly for the same reason.',
    );
    const fell = moversOf([mover('Renewals', 'North', 600, 600, rate(120, 600, 300, 600))], {
      moved: { attempts: 0, rate: 0.18 },
    });
    expect(line([totalsOf('North', 1_000, 320)], north, { movers: fell })).toBe(
      'Connect rate 18.0 points lower than on a typical Thursday, mostly Renewals (50.0% → 20.0%).',
    );
  });

  test('names no campaign that fell as all did: on a holiday the largest lose most', () => {
    const movers = moversOf([mover('Renewals', 'North', 240, 600), mover('Reminders', 'North', 160, 400)]);
    expect(line([totalsOf('North', 400)], north, { movers })).toBe(
      '60% fewer attempts than on a typical Thursday (−600): fewer in 2 of 2 campaigns.',
    );
  });

  test('says of a normal sum that large campaigns moved against each other', () => {
    const movers = moversOf([
      mover('Win back', 'North', 500, 0, { since: '2026-11-16' }),
      mover('Renewals', 'North', 0, 480, { noneSince: '2026-11-13' }),
    ]);
    expect(line([totalsOf('North', 1_020)], north, { movers })).toBe(
      'Overall, a normal Thursday: 1,020 attempts, 50.0% connected. What moved: Win back (+500, since 16 Nov) and Renewals (−480, none since 13 Nov).',
    );
  });

  test('is of those that can be compared, and names the others', () => {
    const fresh = { ...totalsOf('Fresh', 9_000), since: '2026-11-12' };
    expect(line([fresh, totalsOf('North', 990), totalsOf('Coast', 1_000)], both)).toBe(
      'Without Fresh, a normal Thursday: 1,990 attempts, 50.0% connected.',
    );
  });

  const none = moversOf([], { count: 1, up: { attempts: 1, rate: 1 }, down: { attempts: 1, rate: 1 } });
  test.each([
    ['a tenth more', 1_100, 550, 1_000, 500, /^10% more attempts/],
    ['a tenth less', 900, 450, 1_000, 500, /^10% fewer attempts/],
    ['a little less than a tenth', 901, 450, 1_000, 500, /^A normal/],
    ['twenty attempts', 120, 60, 100, 50, /^20% more/],
    ['nineteen attempts', 119, 60, 100, 50, /^A normal/],
    ['two points', 1_000, 20, 1_000, 0, /^Connect rate 2.0 points higher/],
    ['two points that no double holds', 1_000, 300, 1_000, 280, /^Connect rate 2.0 points higher/],
    ['a little less than two points', 1_000, 299, 1_000, 280, /^A normal/],
    [
      'two points beside two tenths',
      1_200,
      24,
      1_000,
      0,
      /^20% more attempts .* The connect rate rose by 2.0/,
    ],
    ['ten points beside five tenths', 1_500, 150, 1_000, 0, /^50% more .* rose by 10.0 points/],
    ['ten points of a hundred', 100, 60, 100, 50, /^Connect rate 10.0/],
    ['ten points of a hundred and of fewer', 110, 66, 99, 49, /^A normal/],
    [
      'four times the calls',
      4_100,
      2_050,
      1_000,
      500,
      /^4,100 attempts instead of 1,000 \(a typical Thursday\)/,
    ],
  ])('of %s is within its bounds', (_, attempts, connects, typically, typicalConnects, sentence) => {
    const given = [typical('North', typically, typicalConnects)];
    expect(line([totalsOf('North', attempts, connects)], given, { movers: none })).toMatch(sentence);
  });

  test('is silent if nothing is typical yet, or the only account isn’t confirmed', () => {
    expect(line([totalsOf('North', 500)], [])).toBeNull();
    expect(line([{ ...totalsOf('North', 500), ...provisionalBy(anomalies.announced) }], north)).toBeNull();
  });

  test.each([
    ['week', 'en-GB', '25% fewer attempts than in a typical week (−3,500), mostly Coast (−3,500).'],
    [
      'month',
      'en-GB',
      '25% fewer attempts per day with calls than in October (−15,000), mostly Coast (−15,000).',
    ],
    [
      'week',
      'es',
      'Un 25\u00a0% menos de intentos que en una semana normal (−3.500), sobre todo por Coast (−3.500).',
    ],
    [
      'month',
      'es',
      'Un 25\u00a0% menos de intentos por día con llamadas que en octubre (−15.000), sobre todo por Coast (−15.000).',
    ],
  ] as const)('is of a %s, too, in %s', (every, locale, sentence) => {
    const period = periodOf(every, '2026-11-19');
    const length = daysOf(period).length;
    const accounts = [totalsOf('North', 1_000 * length), totalsOf('Coast', 500 * length)];
    const before = every === 'week' ? length : 31;
    const callingDays = every === 'week' ? null : { now: length, typical: before };
    const given = ['North', 'Coast'].map((name) => ({ ...typical(name, 1_000 * before), callingDays }));
    expect(line(accounts, given, { period, day: period.to }, locale)).toBe(sentence);
  });
});

describe('the table of what moved', () => {
  const rowsOf = (changes: readonly number[], total: number) => {
    const movers = moversOf(
      changes.map((each, index) => mover(`C${index}`, 'North', 1_000 + each, 1_000)),
      { count: 40 },
    );
    const facts = factsOf(
      figures({ accounts: [totalsOf('North', 50_000 + total)], typical: [typical('North', 50_000)], movers }),
    );
    const [block] = moversTable(facts, createFormat('en-GB', 'UTC', '2026-11-19'));
    return block?.kind === 'table'
      ? block.table.rows.map(({ title, cells, changes }) => [title, ...cells, changes![1]].join(' '))
      : null;
  };

  test('has the largest until less than a tenth is left, and one row for the rest: all add up to the change', () => {
    expect(rowsOf([9_000, -500, 200], 8_700)).toEqual([
      'C0 1,000 10,000 +9,000',
      '39 others 49,000 48,700 −300',
    ]);
  });

  test('has five at most', () => {
    expect(rowsOf([2_000, 1_900, 1_800, 1_700, 1_600, 1_500], 10_500)).toHaveLength(6);
  });

  test('is none if five explain less than half', () => {
    expect(
      rowsOf(
        Array.from({ length: 11 }, () => 900),
        9_900,
      ),
    ).toBeNull();
  });
});
