import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import PostalMime from 'postal-mime';
import { afterEach, describe, expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import type { Middleware } from '../../src/simulator/middleware.ts';
import { readServed } from '../server/site.ts';
import { callsheet } from '../support/callsheet.ts';
import { runNight } from '../support/nights.ts';
import { openWorld, type World } from '../support/world.ts';

/*
 * Responses that look good and aren't, night after night: counts that are not reported, counts of the envelope that
 * announce more than the rows, and counts whose sums no double holds (design, *Not reported*, *A good response*).
 */

let world: World;
afterEach(() => world.close());

type Campaign = { callsetid: number; campaign: string } & Record<string, number | string | null>;

const campaign = (callsetid: number, part: Partial<Campaign> = {}): Campaign => ({
  callsetid,
  campaign: `Campaign ${callsetid}`,
  attempts: 100,
  busies: 10,
  connects: 60,
  liveanswers: 30,
  ...part,
});
const twenty = Array.from({ length: 20 }, (_, index) => campaign(index + 1));

/** What the service says of a day, where it isn't twenty campaigns; without a count, that is the number of rows. */
type Said = { readonly result: readonly Campaign[]; readonly count?: number };

const settings = {
  ACCOUNTS_FILE: '',
  SIDTOKEN: generateDataset().accounts[0]!.token,
  ACCOUNT_NAME: 'north',
  ALERT_TO: 'operator@example.com',
};

/** A service of one account without clients, whose days a test changes. */
async function openService() {
  const said = new Map<string, Said>();
  const intercept: Middleware = ({ operation, params }) => {
    if (operation === 'getClients') {
      return {
        body: JSON.stringify({ page: 1, pages: 1, limit: 100, clients: 0, results: 0, count: 0, data: [] }),
      };
    }
    const [month, date, year] = params.get('startdate')!.split('-');
    const { result, count = result.length } = said.get(`${year}-${month}-${date}`) ?? { result: twenty };
    return { body: JSON.stringify({ campaigns: count, reports: count, result }) };
  };
  world = await openWorld({ intercept });
  return said;
}

const night = (day: string) => runNight(world, day, settings);

async function nights(...days: readonly string[]) {
  for (const day of days) expect((await night(day)).exitCode).toBe(0);
}

const rows = (day: string) =>
  world.query('select callset_id::int as id from etl.campaign_days where day = $1 and withdrawn_at is null', [
    day,
  ]);
const coverage = async (day: string) =>
  (await world.query('select state, held, short from warehouse.coverage where day = $1', [day]))[0];
const sums = async (day: string) =>
  (
    await world.query(
      'select campaigns::int, attempts::text, connects::text, round(connect_rate, 4)::text as rate from warehouse.account_days where day = $1',
      [day],
    )
  )[0];

/** The mails to managers, by subject. */
async function digests(): Promise<Map<string, string>> {
  const files = (await readdir(world.outbox)).filter((file) => file.endsWith('.eml'));
  const mails = await Promise.all(
    files.map(async (file) => await PostalMime.parse(await readFile(path.join(world.outbox, file)))),
  );
  return new Map(mails.map((mail) => [mail.subject!, mail.text!.replaceAll(/\s+/g, ' ')]));
}

describe('a count beside the campaigns that was their number in the responses before', () => {
  it('and announces more: the day is requested once more, then loaded as short, and is no error', async () => {
    const said = await openService();
    await nights('2026-03-02', '2026-03-03', '2026-03-04');
    // Less than half of the rows are gone, so nothing else speaks against it.
    said.set('2026-03-03', { result: twenty.slice(0, 12), count: 20 });
    said.set('2026-03-04', { result: twenty.slice(0, 10), count: 20 });
    const report = await night('2026-03-05');
    expect(report).toMatchObject({
      exitCode: 0,
      stats: { windows: { held: 0, short: 2, failed: 0 } },
    });
    for (const [day, listed] of [['2026-03-03', 12] as const, ['2026-03-04', 10] as const]) {
      expect(await rows(day)).toHaveLength(listed);
      expect(await coverage(day)).toEqual({ state: 'loaded', held: false, short: true });
    }
    // Each was requested once more before.
    expect(await world.query(`select 1 from etl.responses where decision = 'discarded'`)).toHaveLength(2);
    expect([...(await digests()).values()].join()).toContain(
      'the service announced more campaigns than it listed',
    );
    expect(await world.query('select alert from etl.alerts order by alert')).toEqual([
      { alert: 'DIGEST_INCOMPLETE' },
      { alert: 'RESPONSE_SUSPICIOUS/counts' },
    ]);

    said.set('2026-03-03', { result: twenty });
    expect(await night('2026-03-06')).toMatchObject({ exitCode: 0, stats: { windows: { short: 1 } } });
    expect(await rows('2026-03-03')).toHaveLength(20);
    expect(await coverage('2026-03-03')).toEqual({ state: 'loaded', held: false, short: false });
  });

  it('is trusted no more once it isn’t their number in most responses', async () => {
    const said = await openService();
    await nights('2026-03-02', '2026-03-03', '2026-03-04');
    for (const day of ['04', '05', '06', '07', '08'])
      said.set(`2026-03-${day}`, { result: twenty, count: 40 });
    expect((await night('2026-03-05')).stats.windows).toMatchObject({ short: 1 });
    expect((await night('2026-03-06')).stats.windows).toMatchObject({ short: 2 });
    await nights('2026-03-07', '2026-03-08');
    expect((await night('2026-03-09')).stats.windows).toMatchObject({ short: 0 });
    expect(await coverage('2026-03-08')).toEqual({ state: 'loaded', held: false, short: false });
  });

  it('and announces fewer than are listed: that is no sign of anything', async () => {
    const said = await openService();
    await nights('2026-03-02', '2026-03-03', '2026-03-04');
    said.set('2026-03-04', { result: twenty, count: 10 });
    await nights('2026-03-05');
    expect(await world.query(`select 1 from etl.responses where decision = 'discarded'`)).toEqual([]);
    expect(await coverage('2026-03-04')).toEqual({ state: 'loaded', held: false, short: false });
  });

  it('and is again in the response to the same request: nothing is lost, held or short', async () => {
    const said = await openService();
    await nights('2026-03-02', '2026-03-03', '2026-03-04');
    let cut = 0;
    // Once, and only for the first request.
    said.set('2026-03-04', {
      get result() {
        return cut++ === 0 ? twenty.slice(0, 12) : twenty;
      },
      count: 20,
    });
    await nights('2026-03-05');
    expect(await world.query(`select 1 from etl.responses where decision = 'discarded'`)).toHaveLength(1);
    expect(await rows('2026-03-04')).toHaveLength(20);
    expect(await coverage('2026-03-04')).toEqual({ state: 'loaded', held: false, short: false });
  });

  it('is not expected of a service whose counts never were', async () => {
    const said = await openService();
    for (const day of ['01', '02', '03', '04', '05'])
      said.set(`2026-03-${day}`, { result: twenty, count: 100 + Number(day) });
    await nights('2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06');
    expect(await world.query('select 1 from warehouse.coverage where short or held')).toEqual([]);
  });
});

describe('a count that is not reported', () => {
  const without = (list: readonly Campaign[]) => list.map((each) => ({ ...each, attempts: null }));

  it('is held where most rows report it, and applied as null where a later night says the same', async () => {
    const said = await openService();
    await nights('2026-03-02', '2026-03-03');
    said.set('2026-03-02', { result: [...without(twenty.slice(0, 11)), ...twenty.slice(11)] });
    expect((await night('2026-03-04')).stats.windows).toMatchObject({ held: 1 });
    expect(await sums('2026-03-02')).toMatchObject({ attempts: '2000' });
    await nights('2026-03-05');
    // Over the nine campaigns that report both.
    expect(await sums('2026-03-02')).toEqual({
      campaigns: 20,
      attempts: '900',
      connects: '1200',
      rate: '0.6000',
    });
  });

  it('is loaded as short where days before report it, and reported in subject, text and alert', async () => {
    const said = await openService();
    await nights('2026-03-02', '2026-03-03');
    said.set('2026-03-03', { result: without(twenty) });
    await nights('2026-03-04');
    expect(await sums('2026-03-03')).toEqual({ campaigns: 20, attempts: null, connects: '1200', rate: null });
    expect(await coverage('2026-03-03')).toEqual({ state: 'loaded', held: false, short: true });
    expect(await world.query('select alert from etl.alerts order by alert')).toEqual([
      { alert: 'DIGEST_INCOMPLETE' },
      { alert: 'RESPONSE_SUSPICIOUS/unreported' },
    ]);
    const low = [...(await digests())].find(([subject]) =>
      subject.startsWith('Figures may be low: Campaigns, Tue 3 Mar'),
    );
    const text = low?.[1];
    expect(text).toContain(
      'Not reported by the service, and in no sum or rate: - north: attempts of 20 of 20 campaigns',
    );
    expect(text).toContain('Attempts (may be low): – (not reported)');
    expect(text).toContain('Connect rate (may be low): – (1,200 connects)');
    expect(text).toContain('most campaigns report no attempts');
  });

  it('is no news where the service never reports it', async () => {
    const said = await openService();
    for (const day of ['01', '02', '03', '04', '05'])
      said.set(`2026-03-${day}`, { result: twenty.map((each) => ({ ...each, busies: null })) });
    await nights('2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06');
    expect(await world.query('select day from warehouse.coverage where short')).toEqual([]);
  });
});

it('counts whose sum is beyond bigint are summed, mailed, compared and shown to the last digit', async () => {
  const most = Number.MAX_SAFE_INTEGER;
  const huge = Array.from({ length: 1_025 }, (_, index) =>
    campaign(index + 1, { attempts: most, busies: most, connects: most, liveanswers: most }),
  );
  const said = await openService();
  said.set('2026-03-01', { result: huge });
  said.set('2026-03-02', { result: huge });
  await nights('2026-03-02', '2026-03-03');
  const sum = String(BigInt(most) * 1_025n);
  expect(await sums('2026-03-02')).toEqual({
    campaigns: 1_025,
    attempts: sum,
    connects: sum,
    rate: '1.0000',
  });
  said.set('2026-03-02', { result: huge.with(0, campaign(1, { ...huge[0], attempts: most - 1 })) });
  await nights('2026-03-04', '2026-03-05');
  const formatted = Number(sum).toLocaleString('en-GB');
  const mails = await digests();
  const subject = `Campaigns, Mon 2 Mar: 100.0% connected`;
  expect([...mails.keys()]).toContain(subject);
  expect(mails.get(subject)).toContain(`Attempts: ${formatted} (1,025 campaigns`);
  expect([...mails.values()].join()).toContain('Mon 2 Mar: the same sums (1 campaign)');
  expect((await callsheet(['status', '--json'], { ...world.environment, ...settings })).stdout).toContain(
    'north',
  );
  const [page, metrics] = await readServed(world.databaseUrl, ['/', '/metrics']);
  expect(page).toContain('north');
  expect(metrics).toContain('callsheet_campaign_rows{account="north"}');
});
