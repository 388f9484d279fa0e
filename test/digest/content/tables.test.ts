import { describe, expect, test } from 'vitest';
import { earlierTable } from '../../../src/digest/content/earlier.ts';
import {
  accountTable,
  campaignTable,
  lastDaysTable,
  lowestRatesTable,
} from '../../../src/digest/content/tables.ts';
import { createFormat } from '../../../src/digest/format.ts';
import type { EarlierPeriod } from '../../../src/model/digest.ts';
import { daysOf, periodOf } from '../../../src/model/period.ts';
import { accountDay, accountTotals, coverage, figures, topCampaign, totalsOf } from '../figures.ts';

const format = createFormat('en-GB', 'UTC', '2026-11-19');

const campaigns = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    topCampaign({
      label: 'North office',
      callsetId: 7 + index,
      campaign: null,
      attempts: 100,
      busies: 10,
      connects: 50 - index,
      liveAnswers: 25,
    }),
  );

describe('the earlier periods and corrections', () => {
  const week = (day: string) => periodOf('week', day);
  const [whole, short] = [accountTotals(), accountTotals({ shortDays: ['2026-11-12'] })];
  const partly = accountTotals({ state: 'provisional' });
  const table = (earlier: readonly EarlierPeriod[]) => earlierTable({ earlier }, format);

  test('have their figures, from → to where they were mailed before, and what they are', () => {
    const before = [accountTotals({ attempts: 1_000, connects: 610 })];
    expect(
      table([
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
        { title: 'Week of 2 Nov', under: 'incomplete, figures may be low', cells: ['24,960', '61.0%'] },
        { title: 'Week of 9 Nov', under: null, cells: ['12,480', '61.0%'] },
      ],
    });
    expect(table([])).toBeNull();
  });

  test('have dashes where nothing is loaded, or was', () => {
    const failed = accountTotals({ state: 'failed', attempts: null });
    const rows = table([
      { period: week('2026-11-08'), accounts: [failed], before: null },
      { period: week('2026-11-15'), accounts: [whole], before: [failed] },
    ])!.rows.map(({ under, cells }) => [under, ...cells]);
    expect(rows).toEqual([
      ['not loaded', '–', '–'],
      ['corrected', '– → 12,480', '– → 61.0%'],
    ]);
  });
});

describe('the campaigns with the most attempts', () => {
  test('are called ten where they are ten, and one without a name goes by its id', () => {
    const table = (count: number) => campaignTable(figures({ topCampaigns: campaigns(count) }), format);
    expect(table(0)).toBeNull();
    expect(table(1)).toEqual({
      heading: 'Campaigns with the most attempts',
      note: null,
      columns: ['Campaign', 'Attempts', 'Connected', 'Live'],
      rows: [
        {
          title: '#7',
          under: null,
          cells: ['100', '50.0%', '25.0%'],
        },
      ],
    });
    expect(table(10)!.heading).toBe('Top ten campaigns');
  });

  test.each([
    [9, 12, null],
    [10, 10, null],
    [10, 11, 'Lowest connect rates'],
  ])('have the lowest rates beside them where they aren’t all: %i of %i', (shown, all, heading) => {
    const accounts = [accountTotals({ campaigns: all })];
    const lowestRates = campaigns(10).slice(-5);
    const table = lowestRatesTable(
      figures({ accounts, topCampaigns: campaigns(shown), lowestRates }),
      format,
    );
    expect(table?.heading ?? null).toBe(heading);
  });
});

describe('the accounts', () => {
  const columns = ['Account', 'Attempts', 'Connected', 'Live'];
  const accounts = [totalsOf('north', 1_000), totalsOf('coast', 400)];
  const row = (title: string, attempts: string, ...changes: (string | null)[]) => ({
    title,
    under: '41 campaigns',
    cells: [attempts, '50.0%', '25.0%'],
    changes,
  });

  test('are none where there is but one', () => {
    expect(accountTable(figures({ accounts: accounts.slice(1) }), format)).toBeNull();
  });

  test('are compared with nothing while there is nothing', () => {
    expect(accountTable(figures({ accounts }), format)).toEqual({
      heading: 'Accounts',
      note: null,
      columns,
      rows: [row('north', '1,000', null, null), row('coast', '400', null, null)],
    });
  });

  test('are compared with the day before while no weekday is typical, each as far as it has that', () => {
    const history = [accountDay('north', '2026-11-18', 800, 360)];
    expect(accountTable(figures({ accounts, history }), format)).toEqual({
      heading: 'Accounts',
      note: 'Vs Wed',
      columns,
      rows: [row('north', '1,000', '+25%', '+5.0 points'), row('coast', '400', null, null)],
    });
  });
});

describe('the days of the chart', () => {
  const history = ['2026-11-16', '2026-11-18', '2026-11-19'].map((day) => accountDay('north', day, 100));

  test('have a line each, of gaps and incomplete ones, too', () => {
    const missing = coverage({ recentlyMissing: ['2026-11-17', '2026-11-18'] });
    expect(lastDaysTable(figures({ history, coverage: [missing] }), format)).toEqual({
      heading: 'The last 4 days',
      note: null,
      columns: ['Day', 'Attempts', 'Connects', 'Connected'],
      rows: [
        { title: 'Mon 16 Nov', under: null, cells: ['100', '50', '50.0%'] },
        { title: 'Tue 17 Nov', under: 'not loaded', cells: ['–', '–', '–'] },
        { title: 'Wed 18 Nov', under: 'incomplete', cells: ['100', '50', '50.0%'] },
        { title: 'Thu 19 Nov', under: null, cells: ['100', '50', '50.0%'] },
      ],
    });
  });

  test.each([
    ['2026-11-08', 'The week and the one before'],
    ['2026-11-09', 'Day by day'],
  ])('of a week, loaded since %s, are headed “%s”', (from, heading) => {
    const week = daysOf({ from, to: '2026-11-15' }).map((day) => accountDay('north', day, 100));
    const given = figures({ period: periodOf('week', '2026-11-15'), history: week });
    expect(lastDaysTable(given, format)!.heading).toBe(heading);
  });

  test('are none where fewer than three are loaded, however far apart', () => {
    expect(lastDaysTable(figures({ history: history.slice(0, 2) }), format)).toBeNull();
  });
});
