import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addDays, type Day } from '../../../src/model/day.ts';
import { comparedPeriods, periodOf } from '../../../src/model/period.ts';
import {
  archivedWindows,
  readCounted,
  readWalks,
  rereadableResponses,
} from '../../../src/warehouse/archive/read-archive.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { inTransaction } from '../../../src/warehouse/db/transaction.ts';
import { readAccountConcerns } from '../../../src/warehouse/queries/alert-state.ts';
import { readCoverage } from '../../../src/warehouse/queries/coverage.ts';
import * as figures from '../../../src/warehouse/queries/figures.ts';
import * as attention from '../../../src/warehouse/queries/figures-attention.ts';
import * as history from '../../../src/warehouse/queries/figures-history.ts';
import { readRestated } from '../../../src/warehouse/queries/figures-restated.ts';
import { digestRowPages } from '../../../src/warehouse/queries/figures-rows.ts';
import { readMetricSamples } from '../../../src/warehouse/queries/metric-samples.ts';
import { readQuarantine } from '../../../src/warehouse/queries/quarantine.ts';
import { readRestatedFigures } from '../../../src/warehouse/queries/restatements.ts';
import { accountStatuses } from '../../../src/warehouse/queries/status.ts';
import { readWalkStates } from '../../../src/warehouse/queries/walk-states.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

/*
 * Two accounts whose clients and campaigns have the same ids, in each state that a window can have, on days on which the
 * other has another one. What a query reads of an account is what it would read of it alone.
 */

const twins = [
  { id: 1, name: 'north' },
  { id: 2, name: 'coast' },
] as const;
type Twin = (typeof twins)[number];

const today = Temporal.Now.plainDateISO('UTC').toString();
const dayBefore = (days: number): Day => addDays(today, -days);
const dayCount = 36;
const since = dayBefore(30);
const at = (day: Day, hour: number) => `${day}T${String(hour).padStart(2, '0')}:00:00Z`;

type Row = Readonly<Record<string, unknown>>;

/** Another choice for each account, day and subject, and the same ones each time. */
function choice<T>({ id }: Twin, day: number, subject: number, ...of: readonly T[]): T {
  const mixed = Math.imul(id * 7_919 + day * 104_729 + subject * 1_299_709, 2_654_435_761) >>> 0;
  return of[(mixed >>> 8) % of.length]!;
}

/** Most days were loaded the next morning, some much later. */
const loadedAt = (n: number, hour: number) => at(dayBefore(n % 6 === 0 ? 2 : n - 1), hour);

function windowRows(twin: Twin, n: number): Record<string, Row[]> {
  const day = dayBefore(n);
  const key = { account_id: twin.id, day };
  const state = choice(twin, n, 1, 'loaded', 'loaded', 'loaded', 'provisional', 'failed', null);
  const isLoaded = state !== 'failed';
  const isEmpty = choice(twin, n, 2, true, false, false);
  const settled = choice(twin, n, 3, 1, 0);
  const short = choice(twin, n, 12, false, isLoaded);
  const window = {
    ...key,
    state,
    fetched_at: at(addDays(day, 1), 6),
    loaded_at: isLoaded ? loadedAt(n, 6 + twin.id) : null,
    short,
    synced_run_date: addDays(day, 1 + settled),
    same_since_run_date: addDays(day, 1),
    held_hash: choice(twin, n, 4, null, null, 'held'),
    held_reason: choice(twin, n, 4, null, null, `${twin.name} lacks rows`),
    failure: choice(twin, n, 5, null, null, `${twin.name} failed`),
    failure_code: choice(twin, n, 5, null, null, 'REQUEST_REFUSED'),
  };
  const response = {
    run_id: 1,
    account_id: twin.id,
    operation: 'campaignSummary',
    request: {},
    day,
    fetched_at: at(addDays(day, 1), 6),
    decision: state === 'failed' ? 'held' : state,
    rows: 2,
    counts: { reports: choice(twin, n, 6, 2, 3) },
    notice: choice(twin, n, 7, null, null, `${twin.name} closed`),
    disagreeing: choice(twin, n, 8, [], [], ['reports']),
    unreported: choice(twin, n, 9, [], ['busies']),
    short,
    // The oldest bodies were pruned.
    sha256: n > 30 ? null : String.raw`\x0${twin.id}`,
  };
  const later = choice(twin, n, 80, null, 'stale', 'unreadable', 'discarded');
  const laterResponse = {
    ...response,
    fetched_at: at(addDays(day, 1), 7),
    decision: later,
    short: false,
    rows: choice(twin, n, 81, null, 2),
    counts: {},
    notice: null,
  };
  if (state === null) return later === null ? {} : { 'etl.responses': [laterResponse] };
  const rejects = choice(twin, n, 10, [], [1], [1, 2]).map((id) => ({
    run_id: 1,
    ...key,
    operation: 'campaignSummary',
    payload: `{"attempts": ${id}, "of": "${twin.name}"}`,
    payload_sha256: String.raw`\x0${id}`,
    reason: `unreadable in ${twin.name}`,
    first_rejected_at: at(addDays(day, 1), choice(twin, n, 11, 5, 7)),
    last_rejected_at: at(addDays(day, 1), choice(twin, n, 11, 5, 7)),
    current: choice(twin, n, 11, false, true),
    run_dates: 1,
  }));
  const rows = isLoaded && !isEmpty ? campaignRows(twin, n) : { days: [], restatements: [] };
  const sums = {
    ...key,
    campaigns: rows.days.length,
    attempts: isEmpty
      ? null
      : rows.days.reduce((sum, { attempts }) => sum + (attempts ?? 0), n === 20 ? 30_000 : 0),
    connects: isEmpty ? null : rows.days.reduce((sum, { connects }) => sum + (connects ?? 0), 0),
    connect_rate: isEmpty ? null : 0.5 / twin.id,
    provisional: state === 'provisional',
    short,
    loaded_at: at(addDays(day, 1), 6),
  };
  return {
    'etl.windows': [window],
    'etl.responses': later === null ? [response] : [response, laterResponse],
    'etl.rejects': rejects,
    'warehouse.account_days': isLoaded ? [sums] : [],
    'etl.past_account_days': rows.restatements.length === 0 ? [] : [pastSums(sums, rows.restatements.length)],
    'etl.campaign_days': rows.days,
    'warehouse.campaign_day_restatements': rows.restatements,
  };
}

const pastSums = (sums: { account_id: number; day: Day; attempts: number | null }, campaigns: number) => ({
  account_id: sums.account_id,
  day: sums.day,
  restated_at: at(dayBefore(1), 6),
  campaigns,
  attempts: (sums.attempts ?? 0) - campaigns * sums.account_id,
});

function campaignRows(twin: Twin, n: number) {
  const day = dayBefore(n);
  const days = [1, 2].map((id) => {
    const attempts = 100 * twin.id + 10 * id + choice(twin, n, 20 + id, 0, 5, 50);
    return {
      account_id: twin.id,
      day,
      callset_id: id,
      campaign: `${twin.name} ${id}`,
      attempts: choice(twin, n, 90 + id, attempts, attempts, attempts, null),
      busies: 1,
      connects: choice(twin, n, 30 + id, Math.floor(attempts / 2), Math.floor(attempts / 5), null),
      live_answers: 2,
      extra: {},
      loaded_at: loadedAt(n, 6),
      restated_at: choice(twin, n, 40 + id, null, at(dayBefore(1), 6)),
      withdrawn_at: choice(twin, n, 71 + id, null, null, at(dayBefore(1), 6)),
    };
  });
  const restatements = days
    .filter(({ restated_at }) => restated_at !== null)
    .map(({ withdrawn_at: _, ...row }) => ({
      ...row,
      reason: 'changed',
      attempts: (row.attempts ?? 100) - twin.id,
    }));
  return { days, restatements };
}

const walkId = (twin: Twin, n: number) => 2 * (dayCount - n) + twin.id;

function walkRow(twin: Twin, n: number): Row {
  const verdict = choice(twin, n, 50, 'complete', 'changed', 'incomplete', null);
  return {
    walk_id: walkId(twin, n),
    run_id: 1,
    account_id: twin.id,
    run_date: dayBefore(n - 1),
    day: dayBefore(n - 1),
    started_at: at(dayBefore(n - 1), 6),
    verdict,
    reason: verdict === 'complete' ? null : `reason of ${twin.name}, ${n} days ago`,
    implausible_missing: verdict === 'complete' ? choice(twin, n, 51, 0, 12, 13) : 0,
  };
}

/** A page of a walk. Names of north are older than the first: its archive isn't whole. */
const pageRow = (twin: Twin, n: number): Row => ({
  run_id: 1,
  account_id: twin.id,
  operation: 'getClients',
  request: {},
  walk: walkId(twin, n),
  fetched_at: at(dayBefore(n - 1), 6),
  decided_at: at(dayBefore(n - 1), 7),
  decision: 'loaded',
  sha256: String.raw`\x0${twin.id}`,
});

/** A page that wasn't loaded, whose body is gone: no rebuild needs it. */
const unreadablePageRow = (twin: Twin, n: number): Row => ({
  ...pageRow(twin, n),
  decision: 'unreadable',
  sha256: null,
});

const clientReject = (twin: Twin, n: number): Row => ({
  run_id: 1,
  account_id: twin.id,
  operation: 'getClients',
  payload: '{}',
  payload_sha256: String.raw`\x${String(n).padStart(2, '0')}`,
  reason: `no id, ${n} days ago`,
  first_rejected_at: at(dayBefore(n - 1), 5),
  last_rejected_at: at(dayBefore(n - 1), 5),
  current: n < 3,
  run_dates: 1,
});

const clientRow = (twin: Twin, id: number): Row => ({
  account_id: twin.id,
  client_id: id,
  name: `${twin.name} client ${id}`,
  balance: 10 * twin.id + id,
  balance_since: dayBefore(9),
  extra: {},
  // The list of coast is itself new: its clients are no news.
  first_seen_at: at(dayBefore(twin.name === 'coast' ? 2 : choice(twin, id, 60, 2, 40)), 6),
  name_since: at(dayBefore(twin.name === 'north' ? 9 : 2), 6),
  changed_at: at(dayBefore(9), 6),
  // The last one has returned.
  absent_since: id === 4 ? null : choice(twin, id, 61, null, at(dayBefore(3), 6)),
});

/** An absent client's row, which the last one still has until the next complete walk. */
const absenceRows = ({ account_id, client_id, absent_since }: Row): Row[] =>
  absent_since === null && client_id !== 4
    ? []
    : [
        {
          account_id,
          client_id,
          missed_run_date: dayBefore(3),
          missed_at: at(dayBefore(3), 6),
          noted_at: at(dayBefore(2), 6),
        },
      ];

/** A retired account with far more attempts than the others. */
const sumsOfGone = (n: number): Row => ({
  account_id: 3,
  day: dayBefore(n),
  campaigns: 1,
  attempts: 1_000_000,
  provisional: false,
  loaded_at: at(dayBefore(n - 1), 6),
});

/** The digest of a day: most were built the next morning, some incomplete, some much later, some not at all. */
const digestRow = (n: number): Row => ({
  name: 'C',
  day: dayBefore(n),
  kind: 'first',
  state: n % 7 === 0 ? 'skipped' : 'built',
  incomplete: n % 4 === 0,
  built_at: at(dayBefore(n % 5 === 0 ? 2 : n - 1), 8),
});

type Filled = AsyncDisposable & { readonly warehouse: Warehouse; readonly client: pg.Client };

/** A warehouse of these accounts, each the client 1 of its own list. */
async function fill(accounts: readonly Twin[]): Promise<Filled> {
  const database: TestDatabase = await createDatabase({ template: 'migrated' });
  const warehouse = openWarehouse(database.url, 1);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const insert = async (table: string, rows: readonly Row[]) => {
    if (rows.length === 0) return;
    const columns = Object.keys(rows[0]!).join();
    await client.query(
      `insert into ${table} (${columns}) overriding system value
       select ${columns} from jsonb_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(rows)],
    );
  };
  const run = { run_id: 1, kind: 'nightly', command: 'run', run_date: today, host: 'h', process_id: 1 };
  await insert('etl.runs', [run]);
  await insert(
    'warehouse.accounts',
    accounts.map(({ id, name }) => ({
      account_id: id,
      name,
      label: `${name} office`,
      time_zone: 'UTC',
      since: addDays(since, id),
      client_account_id: id,
      client_id: 1,
    })),
  );
  await insert(
    'etl.response_bodies',
    accounts.map(({ id }) => ({
      sha256: String.raw`\x0${id}`,
      size: 1,
      zstd: String.raw`\x00`,
      referenced_at: at(today, 0),
    })),
  );
  await insert('warehouse.accounts', [
    { account_id: 3, name: 'gone', label: 'gone office', time_zone: 'UTC', since, until: dayBefore(1) },
  ]);
  // One account after the other on each day, as they are loaded.
  for (let n = dayCount; n > 0; n--)
    for (const twin of accounts) {
      for (const [table, rows] of Object.entries(windowRows(twin, n))) await insert(table, rows);
      await insert('etl.walks', [walkRow(twin, n)]);
      if (n < 10) await insert('etl.responses', [pageRow(twin, n), unreadablePageRow(twin, n)]);
      await insert('etl.rejects', [clientReject(twin, n)]);
    }
  for (let n = dayCount; n > 0; n--) {
    await insert('warehouse.account_days', [sumsOfGone(n)]);
    await insert('etl.digests', [digestRow(n)]);
  }
  for (const twin of accounts) {
    const clients = [1, 2, 3, 4].map((id) => clientRow(twin, id));
    await insert('warehouse.clients', clients);
    await insert('etl.client_absences', clients.flatMap(absenceRows));
  }
  return {
    warehouse,
    client,
    async [Symbol.asyncDispose]() {
      await client.end();
      await warehouse.destroy();
      await database.drop();
    },
  };
}

/** What views and queries say of one account, by what says it. */
async function readingsOf({ warehouse, client }: Filled, twin: Twin): Promise<Record<string, unknown>> {
  const readings: Record<string, unknown> = {};
  const views = [
    'warehouse.campaign_days',
    'warehouse.coverage',
    'warehouse.freshness',
    'warehouse.restated_days',
    'etl.suspicious_windows',
    'etl.walk_states',
  ];
  for (const view of views) {
    const { rows } = await client.query(
      `select to_jsonb(v)::text as row from ${view} v where account_id = $1 order by 1`,
      [twin.id],
    );
    readings[view] = rows;
  }
  const own = <T extends object>(rows: readonly T[]) =>
    rows.filter((row) => [twin.name, `${twin.name} office`].includes(nameIn(row)));
  readings.concerns = own(await readAccountConcerns(warehouse));
  readings.statuses = own(await accountStatuses(warehouse));
  readings.samples = (await readMetricSamples(warehouse)).filter(
    ({ labels }) => labels.account === twin.name,
  );
  // Of as many records none comes first.
  readings.quarantine = own(await readQuarantine(warehouse, 1_000))
    .map(lineOf)
    .sort();
  readings.restatedFigures = own(await readRestatedFigures(warehouse));
  readings.coveredDays = own(await readCoverage(warehouse, since));
  const range = { from: dayBefore(20), to: dayBefore(5) };
  readings.archived = own(await archivedWindows(warehouse, range));
  readings.rereadable = own(await rereadableResponses(warehouse, range)).map(({ id: _, ...each }) => each);
  readings.walks = [await readWalks(warehouse, twin.id)];
  readings.counted = await readCounted(warehouse, twin.id, { rows: 1, counts: { reports: 2 } });
  return { ...readings, ...(await figuresOf(warehouse, [twin])) };
}

function nameIn(row: object): string {
  const { account, name } = row as { account?: string; name?: string };
  return account ?? name ?? '';
}

/** What digests of these accounts say, by day. */
async function figuresOf(warehouse: Warehouse, accounts: readonly Twin[]): Promise<Record<string, unknown>> {
  const ids = accounts.map(({ id }) => id);
  const days = { from: dayBefore(14), to: dayBefore(1) };
  const news = { since: at(dayBefore(5), 0), until: null };
  const listed = await figures.readDigestAccounts(
    warehouse,
    accounts.map(({ name }) => name),
  );
  const byDay: unknown[] = [];
  for (let n = 1; n <= 14; n++) {
    const day = dayBefore(n);
    byDay.push({
      held: await attention.readHeld(warehouse, ids, day, news),
      movers: await history.readMovers(
        warehouse,
        ids,
        periodOf('day', day),
        comparedPeriods(periodOf('day', day)),
      ),
      extremes: await history.readExtremeRates(warehouse, ids, { from: day, to: day }),
      asOf: await figures.readAsOf(warehouse, ids, { from: day, to: day }),
    });
  }
  const rows = await inTransaction(warehouse, (snapshot) =>
    Array.fromAsync(digestRowPages(snapshot, listed, days)),
  );
  return {
    listed,
    byDay,
    rows: rows.flat(),
    totals: await figures.readAccountTotals(
      warehouse,
      accounts.map(({ name }) => name),
      days,
    ),
    beforeTheFirst: await figures.readAccountTotals(
      warehouse,
      accounts.map(({ name }) => name),
      { from: dayBefore(60), to: dayBefore(58) },
    ),
    top: await figures.readTopCampaigns(warehouse, ids, days, 10),
    coverage: await figures.readDigestCoverage(warehouse, ids, days),
    history: await history.readHistory(warehouse, ids, days),
    suspicious: await attention.readSuspicious(
      warehouse,
      ids,
      [1, 2, 3, 4, 5, 6, 7].map((n) => dayBefore(n)),
    ),
    fresh: await attention.readNewClients(warehouse, ids, news),
    vanished: await attention.readVanishedClients(warehouse, ids, news),
    low: await attention.readLowBalances(warehouse, ids, 30, news),
    restated: (
      await Promise.all(
        [3, 5, 10, 20].map((n) =>
          readRestated(warehouse, { name: 'C', every: 'day' }, ids, dayBefore(n), {
            ...news,
            since: at(dayBefore(n), 0),
          }),
        ),
      )
    ).flat(),
  };
}

let both: Filled;
let alone: readonly Filled[];

beforeAll(async () => {
  [both, ...alone] = (await Promise.all([fill(twins), ...twins.map((twin) => fill([twin]))])) as [
    Filled,
    Filled,
    Filled,
  ];
});
afterAll(() => Promise.all([both, ...alone].map((each) => each[Symbol.asyncDispose]())));

it.each(twins)('what is read of $name is what would be read of it alone', async (twin) => {
  const expected = await readingsOf(alone[twin.id - 1]!, twin);
  const found = await readingsOf(both, twin);
  for (const [what, reading] of Object.entries(expected)) expect(found[what], what).toEqual(reading);
  const empty = Object.entries(expected).filter(([, reading]) => (reading as unknown[]).length === 0);
  expect(empty.map(([what]) => what)).toEqual(twin.name === 'coast' ? ['fresh', 'vanished'] : []);
});

it('a retired account is in nothing that status, alerts, page and metrics read', async () => {
  const { warehouse } = both;
  const read = {
    concerns: (await readAccountConcerns(warehouse)).map(nameIn),
    statuses: (await accountStatuses(warehouse)).map(nameIn),
    coverage: (await readCoverage(warehouse, since)).map(nameIn),
    walks: [...(await readWalkStates(warehouse)).keys()],
    samples: (await readMetricSamples(warehouse)).flatMap(({ labels }) => labels.account ?? []),
  };
  for (const [what, names] of Object.entries(read))
    expect([what, [...new Set(names)].sort()]).toEqual([what, ['coast', 'north']]);
});

it('a digest of both says of each what its own would say', async () => {
  const [north, coast] = await Promise.all(
    twins.map((twin, index) => figuresOf(alone[index]!.warehouse, [twin])),
  );
  const found = await figuresOf(both.warehouse, twins);
  const lines = (...of: readonly unknown[]) =>
    of
      .flatMap((each) => each as unknown[])
      .map(lineOf)
      .sort();
  for (const what of [
    'rows',
    'totals',
    'top',
    'coverage',
    'history',
    'suspicious',
    'fresh',
    'vanished',
    'restated',
  ])
    expect(lines(found[what]), what).toEqual(lines(north![what], coast![what]));
  for (const n of (found.byDay as unknown[]).keys())
    for (const what of ['held', 'movers', 'extremes']) {
      const of = (each: Record<string, unknown>) => (each.byDay as Record<string, unknown>[])[n]![what];
      expect(lines(of(found)), what).toEqual(lines(of(north!), of(coast!)));
    }
});

it('what is read of both is what apart.readings.txt shows, whatever the date', async () => {
  const readings: string[] = [];
  for (const twin of twins)
    for (const [what, reading] of Object.entries(await readingsOf(both, twin)))
      readings.push(...linesOf(`${twin.name} ${what}`, reading));
  await expect(`${readings.join('\n')}\n`).toMatchFileSnapshot('apart.readings.txt');
});

/** A line for each item, with days and times as their distance from today: `-12`, `-8 h`. */
function linesOf(what: string, reading: unknown): string[] {
  const items = Array.isArray(reading) ? (reading as unknown[]) : [reading];
  return items.map((item) => `${what} ${withoutDates(lineOf(item))}`);
}

const withoutDates = (line: string) =>
  line
    .replaceAll(/\d{4}-\d\d-\d\d/g, (day) =>
      String(Temporal.PlainDate.from(today).until(day, { largestUnit: 'days' }).days),
    )
    .replaceAll(/(?<="value":)\d{10}(?=\})/g, (seconds) => `"${(Number(seconds) - midnight) / 3_600} h"`);

/** The start of today in seconds since 1970. */
const midnight = Temporal.PlainDate.from(today).toZonedDateTime('UTC').epochMilliseconds / 1_000;

const lineOf = (row: unknown) => JSON.stringify(row);
