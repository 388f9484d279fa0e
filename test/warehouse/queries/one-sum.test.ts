import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compare, comparedPairs, isRated } from '../../../src/digest/content/comparison.ts';
import { effectOf } from '../../../src/digest/content/explanation.ts';
import { sumUp } from '../../../src/digest/content/totals.ts';
import { createFormat } from '../../../src/digest/format.ts';
import { sumUp as sumUpRows } from '../../../src/job/windows/compare.ts';
import { addDays } from '../../../src/model/day.ts';
import { type Period, periodOf } from '../../../src/model/period.ts';
import type { Counts } from '../../../src/model/records.ts';
import { refreshCampaigns } from '../../../src/warehouse/load/campaigns.ts';
import { readAccountTotals } from '../../../src/warehouse/queries/figures.ts';
import { readCampaigns } from '../../../src/warehouse/queries/figures-campaigns.ts';
import { readSums, readTypical } from '../../../src/warehouse/queries/sums.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

/* The same figures for mail, BI views, the kit's queries and Grafana, of days as they are loaded. */

const { client, warehouse } = await openTestWarehouse();
const accounts = ['north', 'coast'];
beforeAll(async () => {
  await client.query(`insert into warehouse.accounts (account_id, name, label, time_zone, first_expected_day)
    overriding system value values (1, 'north', 'North', 'UTC', '2026-01-01'), (2, 'coast', 'Coast', 'UTC', '2026-01-01')`);
});
afterEach(async () => {
  await client.query('delete from etl.campaigns; delete from etl.campaign_days; delete from etl.windows');
});

const none: Counts = { attempts: null, busies: null, connects: null, liveAnswers: null };
type Campaigns = { readonly [callset: number]: Partial<Counts> };

/** Loads a day as a run does: its campaigns, and one row of their sums. */
async function load(day: string, campaigns: Campaigns, state = 'loaded', account = 1): Promise<void> {
  const rows = Object.entries(campaigns).map(([id, counts]) => ({ id: Number(id), ...none, ...counts }));
  const { counts, rates, activeCampaigns } = sumUpRows(rows);
  await client.query(
    `insert into etl.windows (account_id, day, state, listed_campaigns, active_campaigns, attempts, busies, connects, live_answers,
       connect_rate_connects, connect_rate_attempts, live_answer_rate_live_answers, live_answer_rate_attempts,
       busy_rate_busies, busy_rate_attempts, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, now())`,
    [
      ...[account, day, state, rows.length, activeCampaigns],
      ...[counts.attempts, counts.busies, counts.connects, counts.liveAnswers],
      ...[rates.connects.part, rates.connects.attempts, rates.liveAnswers.part, rates.liveAnswers.attempts],
      ...[rates.busies.part, rates.busies.attempts],
    ],
  );
  for (const { id, attempts, busies, connects, liveAnswers } of rows)
    await client.query(
      `insert into etl.campaign_days (account_id, day, callset_id, campaign, attempts, busies, connects, live_answers, loaded_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, now())`,
      [account, day, id, `campaign ${id}`, attempts, busies, connects, liveAnswers],
    );
}

const called = (attempts: number, connects: number | null = null) => ({ attempts, connects });
const one = async <T>(query: string) => (await client.query(query)).rows[0] as T;
const format = createFormat('en-GB', 'UTC', '2026-03-02');

describe('a rate of several rows', () => {
  it('is its parts summed, then divided, in mail, CSV view, queries and Grafana alike', async () => {
    await load('2026-03-02', { 1: called(100, 50), 2: called(900) });
    await load('2026-03-03', { 1: called(100, 10) });
    const span = { from: '2026-03-02', to: '2026-03-03' };
    const totals = await readAccountTotals(warehouse, ['north'], span);
    expect(format.rate(sumUp(totals).rates.connects)).toBe('30.0%');
    const [chart] = await readSums(warehouse, [{ accounts: ['north'], ...span }]);
    expect(chart!.rates.connects).toEqual({ part: 60n, attempts: 200n });
    const sql = (file: string) =>
      readFileSync(`deploy/bi/queries/${file}`, 'utf8').replaceAll('current_date', `date '2026-03-04'`);
    expect(await one(sql('11-accounts-compared.sql'))).toMatchObject({ connect_rate: '0.3000' });
    expect(await one(sql('01-top-campaigns.sql'))).toMatchObject({ callset_id: '2', connect_rate: null });
    const { panels } = JSON.parse(readFileSync('deploy/bi/grafana/warehouse.json', 'utf8')) as {
      panels: { targets?: { rawSql: string }[] }[];
    };
    const [rate] = panels
      .flatMap(({ targets = [] }) => targets.map(({ rawSql }) => rawSql))
      .filter((query) => query.includes(' / nullif'));
    const bound = rate!.replace('$__timeFilter(day)', 'true').replace('$account', `'north'`);
    expect(Number((await one<{ connect_rate: string }>(bound)).connect_rate)).toBe(0.3);
  });

  it('is of sums that no double holds, to the last digit', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    await load('2026-03-02', { 1: called(most, most), 2: called(most, 1), 3: called(most, 1) });
    const [north] = await readAccountTotals(warehouse, ['north'], { from: '2026-03-02', to: '2026-03-02' });
    expect(north).toMatchObject({ attempts: 27021597764222973n, connects: 9007199254740993n });
    expect(format.count(sumUp([north!, north!]).attempts)).toBe('54,043,195,528,445,946');
    expect(await one('select attempts, connects from warehouse.account_days')).toEqual({
      attempts: '27021597764222973',
      connects: '9007199254740993',
    });
  });
});

describe('what is typical', () => {
  const mondays = ['2026-03-02', '2026-03-09', '2026-03-16', '2026-03-23'];
  const today = '2026-03-30';
  const period = periodOf('day', today);
  const compareMail = async (of: Period, names: readonly string[]) => {
    const figures = {
      accounts: await readAccountTotals(warehouse, names, of),
      typical: await readTypical(warehouse, names, of),
    };
    return compare(figures);
  };
  const inMail = async (of: Period = period) => (await compareMail(of, ['north']))?.total ?? null;
  const inView = async () =>
    await one(
      `select typical_attempts::float8 as attempts, typical_connect_rate::float8 as rate,
         round(attempts_change_ratio, 4)::float8 as change, round(connect_rate_change_points, 4)::float8 as points
       from warehouse.account_performance where day = '${today}'`,
    );

  it.each([
    ['of four, the two middle ones', [300, 100, 900, 500], 400],
    ['of three, the middle one', [300, 100, 900], 300],
    ['of two, both', [300, 100], 200],
    ['not of a holiday without calls', [300, 0, 100, 500, 700], 400],
    ['not of a holiday with a third of the calls', [300, 100, 320, 310], 305],
    ['of the last four, however many there are', [300, 100, 900, 500, 7, 7, 7, 7], 400],
    ['within eight weeks', [0, 0, 300, 0, 0, 0, 0, 100], 200],
    ['zero, if four have no calls and one does', [0, 300, 0, 0, 0], 0],
  ])('is the mean %s', async (_, before, typical) => {
    for (const [index, attempts] of before.entries())
      await load(addDays(today, -7 * (index + 1)), { 1: called(attempts) });
    await load(today, { 1: called(600) });
    expect((await inMail())!.counts.attempts).toEqual({ now: 600, reference: typical });
    expect(await inView()).toMatchObject({
      attempts: typical,
      change: typical === 0 ? null : Number((600 / typical - 1).toFixed(4)),
    });
  });

  it.each([
    ['a single one', [300]],
    ['three without calls', [0, 0, 0]],
    ['one before eight weeks', [300, 0, 0, 0, 0, 0, 0, 0, 100].map((each) => each || null)],
  ])('isn’t known of %s', async (_, before) => {
    for (const [index, attempts] of before.entries())
      if (attempts !== null) await load(addDays(today, -7 * (index + 1)), { 1: called(attempts) });
    await load(today, { 1: called(600) });
    expect([await inMail(), (await inView()) as object]).toEqual([
      null,
      { attempts: null, rate: null, change: null, points: null },
    ]);
  });

  it('has all counts of the same days, the newer of equal ones, and none that one of them lacks', async () => {
    for (const [index, connects] of [50, 40, 30, 20].entries())
      await load(addDays(today, -7 * (index + 1)), { 1: called(100, connects) });
    await load(today, { 1: called(100, 45) });
    expect(await inMail()).toMatchObject({
      counts: { connects: { now: 45, reference: 45 }, busies: null },
      connectRate: { reference: 0.45 },
    });
    await client.query(`update etl.windows set connects = null where day = '${addDays(today, -7)}'`);
    expect((await inMail())!.counts.connects).toBeNull();
  });

  it('has no provisional day', async () => {
    await load(mondays[0]!, { 1: called(100) });
    await load(mondays[1]!, { 1: called(900) }, 'provisional');
    await load(mondays[2]!, { 1: called(200) });
    await load(today, { 1: called(300) });
    expect((await inMail())!.counts.attempts).toMatchObject({ reference: 150 });
    expect(await inView()).toMatchObject({ attempts: 150, change: 1 });
  });

  it('has a rate of the campaigns that report both, before as now', async () => {
    // The large one doesn't report connects, and its attempts are in no rate.
    for (const day of mondays) await load(day, { 1: called(100, 50), 2: called(900) });
    await load(today, { 1: called(100, 50) });
    expect((await inMail())!.connectRate).toMatchObject({ now: 0.5, reference: 0.5 });
    expect(await inView()).toMatchObject({ rate: 0.5, points: 0 });
  });

  it('of a week is the middle of whole confirmed weeks before, of a month per day with calls of the one before', async () => {
    const days = (from: string, to: string) =>
      Array.from({ length: Temporal.PlainDate.from(from).until(to).days + 1 }, (_, index) =>
        Temporal.PlainDate.from(from).add({ days: index }).toString(),
      );
    for (const day of days('2026-03-01', '2026-04-30'))
      await load(day, { 1: called(day < '2026-04-01' ? (day <= '2026-03-20' ? 100 : 0) : 110) });
    const week = await inMail(periodOf('week', '2026-03-29'));
    // 500, 700 and 700 in the weeks before.
    expect(week!.counts.attempts).toMatchObject({ now: 0, reference: 700 });
    const month = await inMail(periodOf('month', '2026-04-30'));
    // Twenty days with calls in March, thirty in April.
    expect(month!.counts.attempts).toMatchObject({ now: 3_300, reference: 3_000 });
    await client.query(`update etl.windows set state = 'provisional' where day = '2026-03-04'`);
    expect(await inMail(periodOf('month', '2026-04-30'))).toBeNull();
    expect((await inMail(periodOf('week', '2026-03-29')))!.counts.attempts).toMatchObject({ reference: 600 });
  });

  it('stands beside the sum of those that are confirmed, and says which are left out', async () => {
    for (const day of mondays) {
      await load(day, { 1: called(1_000) });
      await load(day, { 1: called(100) }, 'loaded', 2);
    }
    await load(today, { 1: called(1_100) });
    await load(today, { 1: called(100) }, 'provisional', 2);
    const compared = async () => {
      const comparison = await compareMail(period, accounts);
      return [comparison!.total.counts.attempts, comparison!.leftOut.map(({ account }) => account)];
    };
    expect(await compared()).toEqual([{ now: 1_100, reference: 1_000 }, ['coast']]);
    await client.query(`update etl.windows set state = 'loaded' where account_id = 2`);
    expect(await compared()).toEqual([{ now: 1_200, reference: 1_100 }, []]);
  });
});

it('a campaign that was withdrawn, or is of another day or account, is in no figure of a mail, and the top campaigns have the most attempts', async () => {
  await load('2026-03-02', { 1: called(100, 50), 5: called(90), 6: called(110) });
  await load('2026-03-01', { 3: called(800) });
  await load('2026-03-02', { 4: called(700) }, 'loaded', 2);
  await client.query(
    `insert into etl.campaign_days (account_id, day, callset_id, campaign, attempts, loaded_at, withdrawn_at)
     values (1, '2026-03-02', 2, 'gone', 900, now(), now())`,
  );
  const span = { from: '2026-03-02', to: '2026-03-02' };
  const [north] = await readAccountTotals(warehouse, ['north'], span);
  expect(north).toMatchObject({ attempts: 300n, campaigns: 3, unreported: { connects: 2, busies: 3 } });
  const period = { every: 'day', ...span } as const;
  const { rows, count } = await readCampaigns(warehouse, ['north'], [], [], period, 2);
  expect([rows.map(({ callsetId, attempts, part }) => [callsetId, attempts, part]), count]).toEqual([
    [
      [6, 110n, null],
      [1, 100n, null],
    ],
    3,
  ]);
});

describe('what a chart and the time to date say of a day', () => {
  it('is what the tiles say: the provisional account is in all of them', async () => {
    await load('2026-03-02', { 1: called(100) });
    await load('2026-03-02', { 1: called(900) }, 'provisional', 2);
    const span = { accounts, from: '2026-03-02', to: '2026-03-02' };
    const [day, toDate] = await readSums(warehouse, [span, { ...span, from: '2026-03-01' }]);
    expect(sumUp(await readAccountTotals(warehouse, accounts, span)).attempts).toBe(1_000n);
    expect(day).toMatchObject({
      attempts: 1_000n,
      provisionalDays: [{ day: '2026-03-02' }],
      lackingDays: [],
    });
    expect(toDate).toMatchObject({
      attempts: 1_000n,
      loadedDays: ['2026-03-02'],
      lackingDays: ['2026-03-01'],
    });
  });

  it('is not reported where one of several days doesn’t report it: what is missing is no 0', async () => {
    await load('2026-03-01', { 1: { attempts: 100, connects: 40 } });
    await load('2026-03-02', { 1: { connects: 50 } });
    const span = { accounts: ['north'], from: '2026-03-01', to: '2026-03-02' };
    expect(await readSums(warehouse, [span])).toMatchObject([{ attempts: null, connects: 90n }]);
  });

  it('marks a provisional day before the first that its account expects, too', async () => {
    await load('2025-12-31', { 1: called(10) }, 'provisional');
    const [day] = await readSums(warehouse, [{ accounts, from: '2025-12-31', to: '2025-12-31' }]);
    expect(day).toMatchObject({ attempts: 10n, provisionalDays: [{ day: '2025-12-31' }], lackingDays: [] });
  });
});

describe('campaigns that moved', () => {
  /** Weekdays from Monday, 31 August, to 13 November 2026; the promotion calls from 5 to 23 October, and stays listed. */
  const days = Array.from({ length: 75 }, (_, index) => addDays('2026-08-31', index));
  const isWeekday = (day: string) => Temporal.PlainDate.from(day).dayOfWeek <= 5;
  beforeEach(async () => {
    for (const day of days) {
      const isCalling = isWeekday(day) && day <= '2026-10-23';
      const promotion = day >= '2026-10-05' ? { 2: called(isCalling ? 400 : 0) } : {};
      await load(day, { 1: called(isWeekday(day) ? 1_000 : 100), ...promotion });
    }
    await refreshCampaigns(warehouse);
  });
  const movers = async (of: Period) => {
    const { rows } = await readCampaigns(warehouse, ['north'], ['north'], ['north'], of);
    const moved = rows.filter(({ part }) => part !== null && part.attempts.now !== part.attempts.typical);
    return moved.map(({ campaign, part, since, noneSince }) => {
      const { now, typical } = part!.attempts;
      return [campaign, typical, '→', now, since && `since ${since}`, noneSince && `none since ${noneSince}`]
        .filter((each) => each !== null)
        .join(' ');
    });
  };

  it('are said to have begun or to make no calls any more for as long as that is why', async () => {
    const lines: string[] = [];
    for (const day of days.slice(30).filter((day) => Temporal.PlainDate.from(day).dayOfWeek === 1))
      for (const line of await movers(periodOf('day', day))) lines.push(`${day}: ${line}`);
    expect(lines).toEqual([
      '2026-10-05: campaign 2 0 → 400 since 2026-10-05',
      '2026-10-12: campaign 2 0 → 400 since 2026-10-05',
      '2026-10-19: campaign 2 200 → 400 since 2026-10-05',
      '2026-10-26: campaign 2 400 → 0 none since 2026-10-23',
      '2026-11-02: campaign 2 400 → 0 none since 2026-10-23',
      '2026-11-09: campaign 2 200 → 0 none since 2026-10-23',
    ]);
  });

  it('of a week are said so, too', async () => {
    const weeks = ['2026-10-04', '2026-10-11', '2026-11-01'];
    const lines: string[][] = [];
    for (const week of weeks) lines.push(await movers(periodOf('week', week)));
    expect(lines).toEqual([
      [],
      ['campaign 2 0 → 2000 since 2026-10-05'],
      ['campaign 2 2000 → 0 none since 2026-10-23'],
    ]);
  });

  it('of a month are compared by the days with calls of their account, and have their newest names', async () => {
    await client.query(`update etl.campaign_days set campaign = 'before' where day < '2026-10-22'`);
    // 30 calling days in September, 31 in October.
    expect(await movers(periodOf('month', '2026-10-31'))).toEqual([
      'campaign 1 23560 → 22900',
      'campaign 2 0 → 6000 since 2026-10-05',
    ]);
  });

  it('are unusual outside of the range that they had on the typical days', async () => {
    const set = async (day: string, attempts: number) =>
      await client.query(
        `update etl.campaign_days set attempts = ${attempts} where callset_id = 1 and day = '${day}'`,
      );
    // The middle ones of four Mondays.
    await set('2026-10-19', 900);
    await set('2026-11-02', 1_100);
    const found = [];
    for (const attempts of [890, 900, 1_100, 1_110]) {
      await set('2026-11-09', attempts);
      const period = periodOf('day', '2026-11-09');
      const { rows } = await readCampaigns(warehouse, ['north'], ['north'], ['north'], period);
      found.push(rows.find(({ callsetId }) => callsetId === 1)!.isUnusual.attempts);
    }
    expect(found).toEqual([true, false, false, true]);
  });

  it('are not said to have begun where a day before isn’t known', async () => {
    await client.query(
      `update etl.windows set state = 'provisional', updated_at = now() where day = '2026-10-02'`,
    );
    await refreshCampaigns(warehouse);
    expect(await movers(periodOf('day', '2026-10-05'))).toEqual(['campaign 2 0 → 400']);
  });
});

/** Attempts, and connects among them; null: not reported. */
const counts = fc
  .record({
    attempts: fc.option(fc.integer({ min: 0, max: 500 }), { freq: 8 }),
    share: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { freq: 8 }),
  })
  .map(({ attempts, share }) => called2(attempts, share));
const called2 = (attempts: number | null, share: number | null) => ({
  attempts,
  connects: share === null ? null : Math.floor((attempts ?? 500) * share),
});
const campaigns = fc.dictionary(fc.constantFrom('1', '2', '3', '4'), counts, { maxKeys: 4 });
const lived = fc.array(
  fc.record({
    campaigns,
    state: fc.integer({ min: 0, max: 99 }).map((chance) => (chance === 0 ? 'provisional' : 'loaded')),
  }),
  { minLength: 62, maxLength: 62 },
);

it('the differences of campaigns add up to the change of the total, and their effects to that of the rate', async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(lived, { minLength: 2, maxLength: 2 }), async (histories) => {
      await client.query('delete from etl.campaign_days; delete from etl.windows');
      for (const [index, history] of histories.entries())
        for (const [day, { campaigns, state }] of history.entries())
          await load(addDays('2026-03-01', day), campaigns, state, index + 1);
      for (const of of [
        periodOf('day', '2026-04-26'),
        periodOf('week', '2026-04-05'),
        periodOf('month', '2026-04-30'),
      ]) {
        const figures = {
          accounts: await readAccountTotals(warehouse, accounts, of),
          typical: await readTypical(warehouse, accounts, of),
        };
        const comparison = compare(figures);
        if (comparison === null) continue;
        const pairs = comparedPairs(figures);
        const names = (some: typeof pairs) => some.map(({ now }) => now.account);
        const { rows } = await readCampaigns(
          warehouse,
          accounts,
          names(pairs),
          names(pairs.filter(isRated)),
          of,
          1_000,
        );
        const parts = rows.flatMap(({ part }) => part ?? []);
        const { attempts } = comparison.total.counts;
        const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
        if (attempts !== null) {
          compared++;
          expect(sum(parts.map((each) => each.attempts.now - each.attempts.typical))).toBeCloseTo(
            attempts.now - attempts.reference,
            6,
          );
        }
        const { connectRate } = comparison.total;
        if (connectRate === null) continue;
        compared++;
        const effects = parts.map((each) => effectOf(each, comparison));
        expect(sum(effects.map(({ own, mix }) => own + mix))).toBeCloseTo(
          connectRate.now - connectRate.reference,
          9,
        );
      }
    }),
    { numRuns: 10 },
  );
  expect(compared).toBeGreaterThan(20);
});
