import { describe, expect, test } from 'vitest';
import { earlierTable } from '../../../src/digest/content/earlier.ts';
import { createFormat } from '../../../src/digest/format.ts';
import type { DigestFigures, EarlierPeriod } from '../../../src/model/digest.ts';
import { periodOf } from '../../../src/model/period.ts';
import { busyWeek } from '../busy-week.ts';
import { accountDay, accountTotals, contentOf, coverage, figures, totalsOf } from '../figures.ts';

const weeks = ['2026-11-12', '2026-11-05'];
const table = (heading: string, given: DigestFigures) => {
  const { tables, campaigns } = contentOf(given);
  return [...tables, ...campaigns].find((each) => each.heading === heading);
};

describe('the earlier periods and corrections', () => {
  const week = (day: string) => periodOf('week', day);
  const [whole, short] = [accountTotals(), accountTotals({ shortDays: ['2026-11-12'] })];
  const partly = accountTotals({ state: 'provisional' });
  const format = createFormat('en-GB', 'UTC', '2026-11-19');
  const earlierOf = (earlier: readonly EarlierPeriod[]) => earlierTable({ earlier }, format);

  test('have their figures, from → to where they were mailed before, and what they are', () => {
    const before = [accountTotals({ attempts: 1_000, connects: 610 })];
    expect(
      earlierOf([
        { period: week('2026-11-01'), accounts: [whole], before },
        { period: week('2026-11-08'), accounts: [short, partly], before: null },
        { period: week('2026-11-15'), accounts: [whole], before: null },
      ]),
    ).toEqual({
      heading: 'Earlier periods and corrections',
      note: null,
      columns: ['Period', 'Attempts', 'Connected'],
      rows: [
        { title: 'Week of 26 Oct', under: 'corrected', cells: ['1,000 → 12,480', '61.0%'] },
        { title: 'Week of 2 Nov', under: 'incomplete, may be low', cells: ['24,960', '61.0%'] },
        { title: 'Week of 9 Nov', under: null, cells: ['12,480', '61.0%'] },
      ],
    });
    expect(earlierOf([])).toBeNull();
  });

  test('have dashes where nothing is loaded, or was', () => {
    const failed = accountTotals({ state: 'failed', attempts: null });
    const rows = earlierOf([
      { period: week('2026-11-08'), accounts: [failed], before: null },
      { period: week('2026-11-15'), accounts: [whole], before: [failed] },
    ])!.rows.map(({ under, cells }) => [under, ...cells]);
    expect(rows).toEqual([
      ['not loaded', '–', '–'],
      ['corrected', '– → 12,480', '– → 61.0%'],
    ]);
  });
});

describe('the campaigns that moved most', () => {
  const mover = (attempts: number, typical: number) => ({
    label: 'North office',
    callsetId: 7,
    campaign: 'Win back',
    attempts,
    typical,
  });

  test('have what is typical, and a percentage only if it says something', () => {
    const movers = [mover(20, 1_200.4), mover(4_000, 100), mover(40, 12), mover(424, 0)];
    const { rows, columns } = table('Campaigns that moved most', figures({ movers }))!;
    expect(columns).toEqual(['Campaign', 'Typical', 'Attempts']);
    expect(rows.map(({ cells, changes }) => [...cells, changes![1]])).toEqual([
      ['1,200', '20', '−98%'],
      ['100', '4,000', null],
      ['12', '40', null],
      ['0', '424', 'new'],
    ]);
  });
});

describe('the accounts', () => {
  test('are the ten that moved most of many, and the sum of the others', () => {
    const accounts = Array.from({ length: 12 }, (_, index) => totalsOf(`a${index}`, 1_000 + 100 * index));
    const history = accounts.flatMap(({ account }) => weeks.map((day) => accountDay(account, day, 1_000)));
    const { rows } = table('Accounts that moved most', figures({ accounts, history }))!;
    expect(rows).toHaveLength(11);
    expect(rows[0]).toMatchObject({ title: 'a11', changes: ['+110%', null] });
    expect(rows[10]).toMatchObject({ title: '2 more', cells: ['2,100', '50.0%', '25.0%', '10.0%'] });
  });

  test('say which of them lack something, and have their own changes', () => {
    const lacking = [
      accountTotals({ label: 'Low', shortDays: ['2026-11-19'] }),
      accountTotals({ label: 'None', state: 'failed' }),
      accountTotals({ label: 'Part', state: 'provisional' }),
    ];
    const { rows } = table('Accounts', figures({ accounts: lacking }))!;
    expect(rows.map(({ under }) => under)).toEqual(['may be low', 'not loaded', 'incomplete']);
    expect(rows[1]!.cells).toEqual(['–', '–', '–', '–']);
    expect(table('Accounts', busyWeek())!.rows[0]!.changes![0]).toMatch(/^[+−]\d+%$/);
  });
});

test('campaigns are looked up in a mail if more than ten ran, or if they are all of a single account', () => {
  const { topCampaigns, extremeRates } = busyWeek();
  const headings = (campaigns: number, accounts = [accountTotals({ campaigns })]) =>
    contentOf(figures({ accounts, topCampaigns, extremeRates })).campaigns.map(({ heading }) => heading);
  expect(headings(11)).toEqual(['Top ten campaigns', 'Highest and lowest connect rates']);
  expect(headings(10)).toEqual(['Campaigns']);
  const two = [accountTotals({ campaigns: 5 }), accountTotals({ account: 'coast', campaigns: 5 })];
  expect(headings(5, two)).toEqual([]);
});

test('week and month to date are there though a day lacks its attempts, which they say', () => {
  const history = ['2026-11-16', '2026-11-17', '2026-11-19'].map((day) => accountDay('north', day, 100));
  const unknown = { ...accountDay('north', '2026-11-18', 0), attempts: null };
  const given = figures({
    history: [...history, unknown],
    coverage: [coverage({ recentlyMissing: ['2026-11-03'] })],
  });
  expect(table('To date', given)!.rows).toEqual([
    { title: 'Week to date', under: '16–19 Nov, 1 day incomplete', cells: ['300', '50.0%'] },
    { title: 'Month to date', under: '1–19 Nov, 2 days incomplete', cells: ['300', '50.0%'] },
  ]);
  expect(table('To date', busyWeek({ day: '2026-11-16' }))!.rows).toHaveLength(1);
});

describe('the tiles', () => {
  const history = weeks.map((day) => accountDay('north', day, 10_000, 6_000));
  test('say that their figure may be low or is incomplete, and over how many accounts a change is', () => {
    const accounts = [accountTotals(), accountTotals({ account: 'coast', shortDays: ['2026-11-19'] })];
    const short = contentOf(figures({ accounts, history }));
    expect(short.tiles.map(({ title }) => title)[1]).toBe('Attempts (may be low)');
    expect(short.compared).toBe(
      'Compared with a typical Thursday over the accounts with complete data: 1 of 2.',
    );
    expect(contentOf(figures({ history })).compared).toBeNull();
    expect(contentOf(figures()).compared).toBe('Not compared with a typical Thursday: too little is loaded.');
  });
});
