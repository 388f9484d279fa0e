import { describe, expect, test } from 'vitest';
import { factsOf } from '../../../src/digest/content/facts.ts';
import { insightLine } from '../../../src/digest/content/insight.ts';
import { createFormat } from '../../../src/digest/format.ts';
import { addDays } from '../../../src/model/day.ts';
import type { AccountTotals } from '../../../src/model/digest.ts';
import { daysOf, periodOf } from '../../../src/model/period.ts';
import { type AccountDay, accountDay, anomalies, doubted, figures, totalsOf } from '../figures.ts';

const weeks = ['2026-11-12', '2026-11-05', '2026-10-29', '2026-10-22'];
const typical = (account: string, attempts: number, connects = attempts / 2) =>
  weeks.map((week) => accountDay(account, week, attempts, connects));

function line(
  accounts: readonly AccountTotals[],
  history: readonly AccountDay[],
  part = {},
  locale = 'en-GB',
) {
  const format = createFormat(locale, 'UTC', '2026-11-19');
  return insightLine(factsOf(figures({ accounts, history, ...part })), format);
}

const history = [...typical('North', 1_000), ...typical('Coast', 1_000)];

describe('the sentence of a digest', () => {
  test('says what moved most, and the account that made most of it', () => {
    expect(line([totalsOf('North', 990), totalsOf('Coast', 780)], history)).toBe(
      'Quieter than a typical Thursday, mostly Coast (−22%).',
    );
    expect(line([totalsOf('North', 1_300), totalsOf('Coast', 1_000)], history)).toBe(
      'Busier than a typical Thursday, mostly North (+30%).',
    );
  });

  test('names nobody where all moved alike', () => {
    expect(line([totalsOf('North', 800), totalsOf('Coast', 800)], history)).toBe(
      'Quieter than a typical Thursday.',
    );
  });

  test('says the connect rate where that moved further beyond its bound', () => {
    expect(line([totalsOf('North', 1_000, 500), totalsOf('Coast', 1_000, 410)], history)).toBe(
      'A lower connect rate than on a typical Thursday, mostly Coast (−9.0 points).',
    );
  });

  test('names the campaign of a single account, and a new one as new', () => {
    const mover = {
      label: 'North',
      callsetId: 7,
      campaign: 'Win back',
      attempts: 0,
      typical: 300,
      began: null,
      ended: null,
    };
    const north = typical('North', 1_000);
    expect(line([totalsOf('North', 700)], north, { movers: [mover] })).toBe(
      'Quieter than a typical Thursday, mostly Win back (−100%).',
    );
    const fresh = { ...mover, attempts: 300, typical: null, began: '2026-11-19' };
    expect(line([totalsOf('North', 1_300)], north, { movers: [fresh] })).toBe(
      'Busier than a typical Thursday, mostly Win back (new).',
    );
  });

  test('names no account where the rates of all moved alike, and any campaign of a change in attempts alone', () => {
    const movers = [
      {
        label: 'North',
        callsetId: 7,
        campaign: 'Win back',
        attempts: 300,
        typical: 0,
        began: null,
        ended: null,
      },
    ];
    const accounts = [totalsOf('North', 1_000, 550), totalsOf('Coast', 1_000, 550)];
    expect(line(accounts, history, { movers })).toBe('A higher connect rate than on a typical Thursday.');
  });

  test('is silent where an account is new: nobody knows what is typical of all of them', () => {
    const fresh = totalsOf('Fresh', 9_000, 9_000);
    expect(line([fresh, totalsOf('North', 990), totalsOf('Coast', 780)], history)).toBeNull();
  });

  test.each([
    ['a tenth more', 1_100, 550, 1_000, 500, 'Busier than a typical Thursday.'],
    ['a tenth less', 900, 450, 1_000, 500, 'Quieter than a typical Thursday.'],
    ['a little less than a tenth', 901, 450, 1_000, 500, null],
    ['twenty attempts', 120, 60, 100, 50, 'Busier than a typical Thursday.'],
    ['nineteen attempts', 119, 60, 100, 50, null],
    ['two points', 1_000, 20, 1_000, 0, 'A higher connect rate than on a typical Thursday.'],
    [
      'two points that no double holds',
      1_000,
      300,
      1_000,
      280,
      'A higher connect rate than on a typical Thursday.',
    ],
    ['a little less than two points', 1_000, 299, 1_000, 280, null],
    ['two points beside two tenths', 1_200, 24, 1_000, 0, 'Busier than a typical Thursday.'],
    [
      'ten points beside five tenths',
      1_500,
      150,
      1_000,
      0,
      'A higher connect rate than on a typical Thursday.',
    ],
    ['ten points of a hundred', 100, 60, 100, 50, 'A higher connect rate than on a typical Thursday.'],
    ['ten points of a hundred and of fewer', 110, 66, 99, 49, null],
    ['calls where there usually are none', 300, 150, 0, 0, null],
  ])('of %s is within its bounds', (_, attempts, connects, typically, typicalConnects, sentence) => {
    const given = typical('North', typically, typicalConnects);
    expect(line([totalsOf('North', attempts, connects)], given)).toBe(sentence);
  });

  test('is silent where a day is missing, figures are provisional, or nothing is typical yet', () => {
    const failed = { ...totalsOf('Coast', 0), state: 'missing' as const };
    const provisional = { ...totalsOf('Coast', 780), ...doubted(anomalies.announced) };
    expect(line([totalsOf('North', 500), failed], history)).toBeNull();
    expect(line([totalsOf('North', 500), provisional], history)).toBeNull();
    expect(line([totalsOf('North', 500)], typical('North', 1_000).slice(0, 1))).toBeNull();
  });

  test.each([
    ['week', 'en-GB', 'Quieter than the four weeks before, mostly Coast (−50%).'],
    ['month', 'en-GB', 'Fewer attempts a day than in October, mostly Coast (−50%).'],
    [
      'week',
      'es',
      'Menos actividad que en las cuatro semanas anteriores, sobre todo por Coast (−50\u00a0%).',
    ],
    ['month', 'es', 'Menos intentos al día que en octubre, sobre todo por Coast (−50\u00a0%).'],
  ] as const)('is of a %s, too, in %s', (every, locale, sentence) => {
    const period = periodOf(every, '2026-11-19');
    const from = every === 'week' ? addDays(period.from, -28) : '2026-10-01';
    const days = ['North', 'Coast'].flatMap((account) =>
      daysOf({ from, to: period.to }).map((day) =>
        accountDay(account, day, account === 'Coast' && day >= period.from ? 500 : 1_000),
      ),
    );
    const length = daysOf(period).length;
    const accounts = [totalsOf('North', 1_000 * length), totalsOf('Coast', 500 * length)].map((account) => ({
      ...account,
      callingDays: daysOf(period),
    }));
    expect(line(accounts, days, { period, day: period.to }, locale)).toBe(sentence);
  });
});
