import { describe, expect, test } from 'vitest';
import { apportion } from '../../../src/digest/content/explanation.ts';
import { factsOf } from '../../../src/digest/content/facts.ts';
import { insightLine } from '../../../src/digest/content/insight.ts';
import { figureTables } from '../../../src/digest/content/tables.ts';
import { createFormat } from '../../../src/digest/format.ts';
import type { AccountTotals, CampaignFigures, Typical } from '../../../src/model/digest.ts';
import { daysOf, periodOf } from '../../../src/model/period.ts';
import {
  anomalies,
  campaign,
  campaignsOf,
  figures,
  type Given,
  provisionalBy,
  ratesAt,
  totalsOf,
  typical,
} from '../figures.ts';

function line(
  accounts: readonly AccountTotals[],
  typical: readonly Typical[],
  part: Given = {},
  locale = 'en-GB',
) {
  const format = createFormat(locale, 'UTC', '2026-11-19');
  return insightLine(factsOf(figures({ accounts, typical, ...part })), format);
}

const both = [typical('North', 1_000), typical('Coast', 1_000)];
const north = [typical('North', 1_000)];
const since = '2026-11-16';

/** The sentence of North, with such campaigns; each has an id of its own. */
const ofNorth = (attempts: number, ...campaigns: readonly CampaignFigures[]) =>
  line([totalsOf('North', attempts)], north, {
    campaigns: campaignsOf(campaigns.map((each, callsetId) => ({ ...each, callsetId }))),
  });
const inNorth = (name: string, now: number, typically: number, part: Partial<CampaignFigures> = {}) =>
  campaign(name, 'North', now, typically, part);

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
    const reminders = inNorth('Reminders', 690, 700);
    expect(
      ofNorth(1_210, inNorth('Win back', 300, 0, { since }), inNorth('Renewals', 100, 180), reminders),
    ).toBe('21% more attempts than on a typical Thursday (+210), mostly Win back (+300, since 16 Nov).');
    expect(ofNorth(700, inNorth('Win back', 0, 300, { noneSince: '2026-11-18' }))).toBe(
      '30% fewer attempts than on a typical Thursday (−300), mostly Win back (−300, none since 18 Nov).',
    );
    expect(ofNorth(1_550, inNorth('A', 300, 0), inNorth('B', 150, 0), inNorth('C', 100, 0))).toMatch(
      /, mostly A \(\+300\)\.$/,
    );
    expect(ofNorth(1_550, inNorth('A', 240, 0), inNorth('B', 150, 0), inNorth('C', 100, 0))).toMatch(
      /, mostly A \(\+240\) and B \(\+150\)\.$/,
    );
  });

  test('names campaigns together that changed alike, within a fifth of the larger; of more than three the largest', () => {
    const twins = [inNorth('A', 1_385, 0, { since }), inNorth('B', 1_580, 0, { since })];
    expect(ofNorth(3_965, ...twins)).toMatch(
      /, mostly B \(\+1,580, since 16 Nov\) and A \(\+1,385, since 16 Nov\)\.$/,
    );
    expect(ofNorth(3_800, inNorth('A', 1_258, 0), inNorth('B', 1_580, 0))).toMatch(
      /, mostly B \(\+1,580\)\.$/,
    );
    // Nine of ten barely moved, as ever: none of them is why.
    const noise = Array.from({ length: 95 }, (_, index) => inNorth(`N${index}`, 11, 10));
    const five = [95, 100, 98, 97, 99].map((made, index) => inNorth(`C${index}`, made, 0));
    expect(ofNorth(1_584, ...noise, ...five)).toBe(
      '58% more attempts than on a typical Thursday (+584), mostly 5 campaigns, C1 (+100) the largest.',
    );
  });

  test('names none that changed as it does from week to week, or by less than a fifth, and says so if it is half', () => {
    const usual = { isUnusual: { attempts: false, rate: false } };
    const others = Array.from({ length: 10 }, (_, index) => inNorth(`N${index}`, 20 + index, 0));
    expect(ofNorth(1_400, inNorth('A', 300, 0, usual), ...others)).toBe(
      '40% more attempts than on a typical Thursday (+400), in most campaigns.',
    );
    expect(ofNorth(1_400, inNorth('A', 79, 0), ...others)).toMatch(/, in most campaigns\.$/);
    expect(ofNorth(1_400, inNorth('A', 81, 0), ...others)).toMatch(/, partly A \(\+81\)\.$/);
  });

  test('names no campaign that fell as all did: on a holiday the largest lose most', () => {
    expect(ofNorth(400, inNorth('Renewals', 240, 600), inNorth('Reminders', 160, 400))).toBe(
      '60% fewer attempts than on a typical Thursday (−600), in most campaigns.',
    );
    expect(ofNorth(400, inNorth('Renewals', 400, 1_000))).toBe(
      '60% fewer attempts than on a typical Thursday (−600).',
    );
  });

  test('names of many accounts the one that changed, and what changed in it', () => {
    const names = Array.from({ length: 12 }, (_, index) => `A${index}`);
    const usual = names.map((name) => typical(name, 1_000));
    const given = (changed: number, ...rows: CampaignFigures[]) =>
      line(
        names.map((name) => totalsOf(name, name === 'A7' ? 1_000 + changed : 1_000)),
        usual,
        { campaigns: campaignsOf(rows) },
      );
    const began = (name: string, made: number, callsetId: number) =>
      campaign(name, 'A7', made, 0, { since, callsetId });
    expect(given(2_965, began('One', 1_580, 1), began('Two', 1_385, 2))).toBe(
      '25% more attempts than on a typical Thursday (+2,965), mostly A7: One (+1,580, since 16 Nov) and Two (+1,385, since 16 Nov).',
    );
    const few = Array.from({ length: 9 }, (_, index) =>
      campaign(`C${index}`, 'A7', 15, 130, { callsetId: index }),
    );
    expect(given(-1_800, ...few)).toMatch(/, mostly A7 \(−1,800\)\.$/);
  });

  test('says what that did to the rate, if that moved, too', () => {
    const winBack = inNorth('Win back', 500, 0, {
      since,
      part: { attempts: { now: 500, typical: 0 }, rate: ratesAt(500, 0, 0.2) },
    });
    const campaigns = campaignsOf([winBack]);
    expect(line([totalsOf('North', 1_500, 600)], north, { campaigns })).toBe(
      '50% more attempts than on a typical Thursday (+500), mostly Win back (+500, since 16 Nov). Connect rate 10.0 points lower, mostly for the same reason.',
    );
    const renewals = inNorth('Renewals', 600, 600, {
      part: { attempts: { now: 600, typical: 600 }, rate: ratesAt(600, 600, 0.2, 0.5) },
    });
    expect(line([totalsOf('North', 1_000, 320)], north, { campaigns: campaignsOf([renewals]) })).toBe(
      'Connect rate 18.0 points lower than on a typical Thursday, mostly Renewals (50.0% → 20.0%).',
    );
  });

  test('says of a normal sum that large campaigns moved against each other', () => {
    const renewals = inNorth('Renewals', 0, 480, { noneSince: '2026-11-13' });
    expect(ofNorth(1_020, inNorth('Win back', 500, 0, { since }), renewals)).toBe(
      'A normal Thursday overall: 1,020 attempts, 50.0% connected. What moved: Win back (+500, since 16 Nov) and Renewals (−480, none since 13 Nov).',
    );
  });

  test('is of those that can be compared, and names the others', () => {
    const fresh = { ...totalsOf('Fresh', 9_000), since: '2026-11-12' };
    expect(line([fresh, totalsOf('North', 990), totalsOf('Coast', 1_000)], both)).toBe(
      'Without Fresh, a normal Thursday: 1,990 attempts, 50.0% connected.',
    );
  });

  test.each([
    ['a tenth more', 1_100, 550, 1_000, 500, /^10% more attempts/],
    ['what is shown as a tenth', 1_095, 548, 1_000, 500, /^10% more attempts/],
    ['what is shown as nine hundredths', 1_094, 547, 1_000, 500, /^A normal/],
    ['a tenth less, as shown', 905, 452, 1_000, 500, /^10% fewer attempts/],
    ['twenty attempts', 120, 60, 100, 50, /^20% more/],
    ['nineteen attempts', 119, 60, 100, 50, /^A normal/],
    ['two points', 1_000, 20, 1_000, 0, /^Connect rate 2.0 points higher/],
    ['two points that no double holds', 1_000, 300, 1_000, 280, /^Connect rate 2.0 points higher/],
    ['less than two points, as shown', 10_000, 2_994, 10_000, 2_800, /^A normal/],
    ['two points beside two tenths', 1_200, 24, 1_000, 0, /^20% more .* Connect rate 2.0 points higher/],
    ['ten points beside five tenths', 1_500, 150, 1_000, 0, /^50% more .* Connect rate 10.0 points higher/],
    ['ten points of a hundred', 100, 60, 100, 50, /^Connect rate 10.0/],
    ['ten points of a hundred and of fewer', 110, 66, 99, 49, /^A normal/],
    ['four times the calls', 4_100, 2_050, 1_000, 500, /^4,100 attempts instead of 1,000 \(a typical Thu/],
  ])('of %s is within its bounds', (_, attempts, connects, typically, typicalConnects, sentence) => {
    const given = [typical('North', typically, typicalConnects)];
    expect(line([totalsOf('North', attempts, connects)], given)).toMatch(sentence);
  });

  test('is silent if nothing is typical yet, or the only account isn’t confirmed', () => {
    expect(line([totalsOf('North', 500)], [])).toBeNull();
    expect(line([{ ...totalsOf('North', 500), ...provisionalBy(anomalies.announced) }], north)).toBeNull();
  });

  test.each([
    ['week', 'en-GB', 1_000, 'A normal week: 14,000 attempts, 50.0% connected.'],
    ['month', 'en-GB', 1_000, 'A month like October: 60,000 attempts, 50.0% connected.'],
    ['week', 'es', 1_000, 'Una semana normal: 14.000 intentos, 50,0\u00a0% de conexión.'],
    [
      'month',
      'en-GB',
      500,
      '25% fewer attempts per day with calls than in October (−15,000), mostly Coast (−15,000).',
    ],
    [
      'week',
      'es',
      500,
      'Un 25\u00a0% menos de intentos que en una semana normal (−3.500), sobre todo por Coast (−3.500).',
    ],
  ] as const)(
    'is of a %s, too, in %s, at %d attempts a day of one account',
    (every, locale, attempts, sentence) => {
      const period = periodOf(every, '2026-11-19');
      const length = daysOf(period).length;
      const accounts = [totalsOf('North', 1_000 * length), totalsOf('Coast', attempts * length)];
      const before = every === 'week' ? length : 31;
      const callingDays = every === 'week' ? null : { now: length, typical: before };
      const given = ['North', 'Coast'].map((name) => ({ ...typical(name, 1_000 * before), callingDays }));
      expect(line(accounts, given, { period, day: period.to }, locale)).toBe(sentence);
    },
  );
});

describe('the table', () => {
  const tableOf = (campaigns: readonly CampaignFigures[], accounts: AccountTotals[], usual: Typical[]) => {
    const given = figures({ accounts, typical: usual, campaigns: campaignsOf(campaigns) });
    const block = figureTables(factsOf(given), createFormat('en-GB', 'UTC', '2026-11-19')).at(-1);
    return block?.kind === 'table'
      ? block.table.rows.map(({ title, cells }) => [title, ...cells.slice(0, 2)].join(' '))
      : null;
  };
  const rowsOf = (total: number, ...changes: readonly number[]) =>
    tableOf(
      changes.map((each, callsetId) => inNorth(`C${callsetId}`, 1_000 + each, 1_000, { callsetId })),
      [totalsOf('North', 50_000 + total)],
      [typical('North', 50_000)],
    );

  test('has the movers first on a day that has a change, otherwise the largest, and one row for the rest', () => {
    expect(rowsOf(8_000, 100, -500, 9_000)).toEqual([
      'C2 10,000 +9,000',
      'C1 500 −500',
      'C0 1,100 +100',
      'All others 46,400 −600',
    ]);
    expect(rowsOf(0, 100, -500, 200)).toEqual([
      'C2 1,200 +200',
      'C0 1,100 +100',
      'C1 500 −500',
      'All others 47,200 +200',
    ]);
    expect(rowsOf(0, ...Array.from({ length: 12 }, () => 0))).toHaveLength(11);
    // One more is no rest.
    expect(rowsOf(-39_000, ...Array.from({ length: 11 }, () => 0))?.at(-1)).toBe('All others 0 −39,000');
  });

  test('adds up, as shown, to the change as shown: the largest remainders are rounded up', () => {
    expect(apportion([0.5, 0.5, 0.5])).toEqual([1, 1, 0]);
    expect(apportion([1_707.5, -0.25, 0.25])).toEqual([1_708, 0, 0]);
    expect(apportion([-1.5, -1.5])).toEqual([-1, -2]);
    const rows = tableOf(
      [inNorth('A', 1_000, 400.5), inNorth('B', 100, 400.5, { callsetId: 2 })],
      [totalsOf('North', 1_100)],
      [typical('North', 801)],
    );
    expect(rows).toEqual(['A 1,000 +600', 'B 100 −301']);
  });

  test('sums those that aren’t compared in a row of their own', () => {
    const rows = [inNorth('A', 600, 400), campaign('B', 'Fresh', 300, null)];
    expect(tableOf(rows, [totalsOf('North', 1_100), totalsOf('Fresh', 350)], north)).toEqual([
      'A 600 +200',
      'B 300 ',
      'All others 500 −100',
      'Others, not compared 50 ',
    ]);
  });

  test('is by accounts if they are many, each with the campaign that explains its change', () => {
    const names = Array.from({ length: 12 }, (_, index) => `A${index}`);
    const accounts = names.map((name, index) => totalsOf(name, index === 3 ? 600 : 1_000));
    const given = figures({
      accounts,
      typical: names.map((name, index) => typical(name, index === 3 ? 3_000 : 1_000)),
      campaigns: campaignsOf([campaign('Renewals', 'A3', 0, 1_390, { noneSince: '2026-11-18' })]),
    });
    const [table, ...others] = figureTables(factsOf(given), createFormat('en-GB', 'UTC', '2026-11-19'));
    expect(others).toEqual([]);
    const row = { title: 'A3', under: 'Renewals none since 18 Nov', cells: ['600', '−2,400', '50.0%'] };
    expect(table).toMatchObject({ table: { rows: expect.arrayContaining([row]) } });
  });
});
