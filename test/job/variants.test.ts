import { afterAll, describe, expect, it } from 'vitest';
import { addDays } from '../../src/model/day.ts';
import type { ErrorCode } from '../../src/model/errors.ts';
import { FIRST_HOSTILE_ID } from '../support/simulator/variants/records.ts';
import { type VariantName, variantNames } from '../support/simulator/variants.ts';
import { type Simulator, startSimulator } from '../support/simulator.ts';
import { contradictions } from '../support/story.ts';
import { dataset, today, variantNight, yesterday } from '../support/variant-nights.ts';
import { openWorld, type World } from '../support/world.ts';

/*
 * One night from nothing with a service of each variant: never 0 with fewer clients or rows than it has, nobody absent,
 * and run, status, page, metrics and alert agree. Nights after a good one: test/crash/variants-over-nights.test.ts. What a
 * single body may look like: test/service/response; how an attempt may fail: test/service/http.
 *
 * Responses that look good and aren't:
 * - pages cut or filtered without a word: `pages-cut`, `pages-cut-by-half`, `filtered-after-paging`
 * - somebody hidden by a removal between two pages: `row-removed-once`, `row-removed-always`
 * - a session that expired, in an empty list: `session-expired-in-empty-list`
 * - a page that fails for ever, and with it each walk: `last-page-fails`; over nights, test/crash/walk-story.test.ts
 * - a count that is not reported: `attempts-null`
 * - fewer rows than a count announces that was theirs in the responses before: `rows-cut`
 * - counts whose sum no bigint holds: `counts-huge`
 * - an error that nobody expected, inside one window: no response is known that causes one, so the database raises it, in
 *   one-story.test.ts and, for lists, digests and messages, too, in unexpected-errors.slow.test.ts
 */

/** How a run under a variant must end. Clients and campaigns: all, exactly as the service has them, unless stated. */
type Expected = {
  readonly exit?: number;
  readonly failures?: readonly ErrorCode[];
  readonly clients?: 'all' | 'all but one of an account' | 'among others' | 'as returned' | 'some' | 'none';
  readonly campaigns?: 'all' | 'among others' | 'as returned' | 'some' | 'none';
  readonly rejects?: boolean;
  /** Days before, which a run has loaded. */
  readonly before?: readonly string[];
  /** Whether figures may be low. */
  readonly short?: boolean;
  readonly settings?: World['environment'];
};

const unproven: Expected = { exit: 75, failures: ['WALK_INCOMPLETE'] };
const unprovenInPart: Expected = { ...unproven, clients: 'some' };
const nothing = (kind: ErrorCode, exit = 69): Expected => ({
  exit,
  failures: [kind],
  clients: 'none',
  campaigns: 'none',
});

const expectations: Record<VariantName, Expected> = {
  'connection-reset': {},
  'body-cut': {},
  'html-always': nothing('INVALID_RESPONSE'),
  'rate-limited-seconds': {},
  'rate-limited-forever': nothing('SERVICE_UNAVAILABLE'),
  'token-expires': { exit: 77, failures: ['TOKEN_REFUSED'], clients: 'some', campaigns: 'some' },
  'token-refused-401': nothing('TOKEN_REFUSED', 77),
  'session-expired-in-empty-list': nothing('TOKEN_REFUSED', 77),
  'error-in-empty-list': nothing('INVALID_RESPONSE'),
  'error-beside-records': { short: true },
  'counts-other': {},
  'hostile-records': { clients: 'among others', campaigns: 'among others', rejects: true, short: true },
  'mostly-unreadable': { clients: 'some', campaigns: 'some', rejects: true, short: true },
  'hostile-text': { clients: 'some', campaigns: 'some', rejects: true, short: true },
  'pages-from-zero': {},
  'pages-missing': unproven,
  'pages-zero': unproven,
  // Every page came, while the list changed: nobody is alerted for a week.
  'pages-changes': {},
  'page-missing': unproven,
  'page-number-wrong': unproven,
  'page-repeats': unprovenInPart,
  'page-alternates': unprovenInPart,
  'last-page-forever': unprovenInPart,
  'empty-page': unprovenInPart,
  'limit-clamped': {},
  'limit-clamped-silently': {},
  // With their length as the limit, no page is short.
  'pages-cut': { settings: { PAGE_LIMIT: '100' } },
  'pages-cut-by-half': unprovenInPart,
  'filtered-after-paging': { ...unproven, clients: 'as returned' },
  'last-page-fails': { exit: 75, failures: ['SERVICE_UNAVAILABLE'], clients: 'some' },
  'limit-refused': {},
  'limit-refused-in-200': {},
  // A list that only changes: whoever was seen is loaded, and nobody is marked absent.
  'id-twice': {},
  'row-removed-once': { clients: 'all but one of an account' },
  'row-removed-always': { clients: 'all but one of an account' },
  'row-inserted-once': {},
  'row-inserted-always': {},
  'end-exclusive': { settings: { WINDOW_END: 'next-day' } },
  'idle-listed': { campaigns: 'as returned' },
  'lifetime-totals': { campaigns: 'as returned' },
  'attempts-null': { campaigns: 'as returned' },
  'rows-cut': {
    before: [4, 3, 2].map((days) => addDays(today, -days)),
    campaigns: 'as returned',
    short: true,
  },
  'counts-huge': { campaigns: 'as returned' },
};

/** Variants that spoil single responses: another attempt gets a good one. */
const passing = new Set<VariantName>(['connection-reset', 'body-cut', 'rate-limited-seconds']);

const worlds: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(worlds.map((world) => world.close())));

/** The world's own service has no variant: it is that of the days before. */
async function oneNight(variant: VariantName, { settings, before = [] }: Expected) {
  const world = await openWorld({ dataset });
  const simulator = await startSimulator({ dataset, variants: [variant] });
  worlds.push(world, simulator);
  if (before.length > 0)
    await variantNight(world, world.simulator.url, yesterday, { days: before, digest: false });
  const report = await variantNight(world, simulator.url, today, {}, settings);
  return { world, simulator, report };
}

type Night = Awaited<ReturnType<typeof oneNight>>;

type Row = { id: string; name: string | null; [column: string]: unknown };

const clientRows = (world: World) =>
  world.query<Row>(
    `select a.name as account, c.client_id as id, c.name, c.balance::float8 as balance
     from warehouse.clients c join warehouse.accounts a using (account_id) order by 1, 2`,
  );

const campaignRows = (world: World) =>
  world.query<Row>(
    `select a.name as account, callset_id as id, campaign as name, attempts::float8, busies::float8, connects::float8, live_answers::float8
     from etl.campaign_days join warehouse.accounts a using (account_id) where day = $1 order by 1, 2`,
    [yesterday],
  );

const byKey = (rows: Row[]) =>
  rows.sort((one, other) =>
    `${one.account} ${one.id.padStart(20)}` < `${other.account} ${other.id.padStart(20)}` ? -1 : 1,
  );

const allClients = (): Row[] =>
  byKey(
    dataset.accounts.flatMap(({ name: account }) =>
      dataset.clients(account).map((client) => ({
        account,
        id: String(client.clientid),
        name: client.clientname,
        balance: Number(client.balance),
      })),
    ),
  );

const day = Temporal.PlainDate.from(yesterday);

const allCampaigns = (): Row[] =>
  byKey(
    dataset.accounts.flatMap(({ name: account }) =>
      dataset.campaigns(account, day, day).map((each) => ({
        account,
        id: String(each.callsetid),
        name: each.campaign,
        attempts: each.attempts,
        busies: each.busies,
        connects: each.connects,
        live_answers: each.liveanswers,
      })),
    ),
  );

/** The counts as this service returns them to a plain request. */
async function returnedCampaigns(simulator: Simulator): Promise<Row[]> {
  const date = yesterday.replace(/^(\d+)-(.+)$/, '$2-$1');
  const returned = await Promise.all(
    dataset.accounts.map(async ({ name: account, token }) => {
      const query = new URLSearchParams({ sidtoken: token, startdate: date, enddate: date });
      const response = await fetch(`${simulator.url}/campaignSummary.wr?${query}`);
      const { result } = (await response.json()) as { result: Record<string, number | string | null>[] };
      return result.map((each) => ({
        account,
        id: String(each.callsetid),
        name: each.campaign as string,
        attempts: each.attempts ?? null,
        busies: each.busies ?? null,
        connects: each.connects ?? null,
        live_answers: each.liveanswers ?? null,
      }));
    }),
  );
  return byKey(returned.flat());
}

/** The clients as this service returns them on one page. */
async function returnedClients(simulator: Simulator): Promise<Row[]> {
  const returned = await Promise.all(
    dataset.accounts.map(async ({ name: account, token }) => {
      const query = new URLSearchParams({ sidtoken: token, limit: '1000', balance: 'true' });
      const response = await fetch(`${simulator.url}/getClients.wr?${query}`);
      const { data } = (await response.json()) as ReturnType<typeof JSON.parse>;
      return (data as ReturnType<typeof dataset.clients>).map((client) => ({
        account,
        id: String(client.clientid),
        name: client.clientname,
        balance: Number(client.balance),
      }));
    }),
  );
  return byKey(returned.flat());
}

/** Not one of the records that a hostile service slipped in, some of which can be read. */
const isOurs = (row: Row) => Number(row.id) < FIRST_HOSTILE_ID;

async function expectClients({ world, simulator }: Night, { clients = 'all' }: Expected): Promise<void> {
  const all = allClients();
  const found = byKey(await clientRows(world));
  if (clients === 'all') expect(found).toEqual(all);
  if (clients === 'all but one of an account') {
    const missing = all.filter(
      ({ account, id }) => !found.some((row) => row.account === account && row.id === id),
    );
    expect(missing.map(({ account }) => account)).toEqual(dataset.accounts.map(({ name }) => name).sort());
    expect(all).toEqual(byKey([...found, ...missing]));
  }
  if (clients === 'as returned') expect(found).toEqual(await returnedClients(simulator));
  if (clients === 'among others') expect(found.filter(isOurs)).toEqual(all);
  if (clients === 'none') expect(found).toEqual([]);
  if (clients === 'some') expect(found.length).toBeGreaterThan(10);
}

async function expectCampaigns({ world, simulator }: Night, { campaigns = 'all' }: Expected): Promise<void> {
  const found = byKey(await campaignRows(world));
  if (campaigns === 'all') expect(found).toEqual(allCampaigns());
  if (campaigns === 'among others') expect(found.filter(isOurs)).toEqual(allCampaigns());
  if (campaigns === 'as returned') expect(found).toEqual(await returnedCampaigns(simulator));
  if (campaigns === 'none') expect(found).toEqual([]);
  if (campaigns === 'some') expect(found.length).toBeLessThan(allCampaigns().length);
}

describe.concurrent('a run with a service that', () => {
  it.each(variantNames)('%s', async (variant) => {
    const expected = expectations[variant];
    const night = await oneNight(variant, expected);
    const { world, simulator, report } = night;
    const kinds = [...new Set(report.stats.failures.map((failure) => failure.code))].sort();
    expect({ exit: report.exitCode, kinds }).toEqual({
      exit: expected.exit ?? 0,
      kinds: expected.failures ?? [],
    });
    await expectClients(night, expected);
    await expectCampaigns(night, expected);
    // 0 is only said of a run that has everything; what it can't read is in quarantine.
    const parts = [expected.clients, expected.campaigns];
    if (report.exitCode === 0 && !expected.rejects)
      for (const part of parts) expect(['some', 'none']).not.toContain(part);
    expect(await world.query('select 1 from warehouse.clients where absent_since is not null')).toEqual([]);
    const rejects = await world.query('select 1 from etl.rejects');
    // A second attempt meets the same records again.
    expect(rejects.length).toBeLessThanOrEqual(report.stats.rejects);
    expect(rejects.length > 0).toBe(expected.rejects ?? false);
    if (variant === 'hostile-text')
      expect((await clientRows(world)).length + rejects.length).toBeGreaterThan(1200);
    // Whatever happened, ledger and rows agree.
    const disagreeing = await world.query(
      `select 1 from etl.windows w left join warehouse.account_days d using (account_id, day)
       where (w.state = 'loaded') <> (d.day is not null)`,
    );
    expect(disagreeing).toEqual([]);
    expect(await world.query(`select 1 from etl.windows where day = '${yesterday}'`)).toHaveLength(3);
    expect(await contradictions(world, report)).toEqual([]);
    const short = await world.query('select 1 from warehouse.coverage where short');
    expect(short.length > 0).toBe(expected.short ?? false);
    // Whatever the counts, there is a digest of the day.
    expect(await world.query(`select 1 from etl.digests where day = '${yesterday}'`)).toHaveLength(1);
    // The injected faults did strike, or the run proves nothing.
    const struck = simulator.journal.filter((entry) => entry.injectedBy === variant);
    if (passing.has(variant)) expect(struck).not.toEqual([]);
  });
});
