import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { readAlerts } from '../../src/job/alerts/read-alerts.ts';
import { plainOccasion, readFigures } from '../../src/job/digests/compose-digest.ts';
import { periodOf } from '../../src/model/period.ts';
import { takeSamples } from '../../src/server/metrics.ts';
import { readOverview } from '../../src/server/page/overview.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { openWarehouse, type Transaction } from '../../src/warehouse/db/database.ts';
import { inSnapshot } from '../../src/warehouse/db/transaction.ts';
import { readLedger } from '../../src/warehouse/ledger/ledger.ts';
import { incompleteDigests } from '../../src/warehouse/outbox/corrections.ts';
import { openDeliveries } from '../../src/warehouse/outbox/deliveries.ts';
import { settledDigests } from '../../src/warehouse/outbox/digests.ts';
import { readCoverage } from '../../src/warehouse/queries/coverage.ts';
import { readDigestAccounts } from '../../src/warehouse/queries/figures.ts';
import { digestRowPages } from '../../src/warehouse/queries/figures-rows.ts';
import { readQuarantine } from '../../src/warehouse/queries/quarantine.ts';
import { lastRuns } from '../../src/warehouse/queries/run-history.ts';
import { accountStatuses, unsentMail } from '../../src/warehouse/queries/status.ts';
import { readWalkStates } from '../../src/warehouse/queries/walk-states.ts';
import { command } from '../support/command.ts';
import { mailsLongAgo, openWorld, type World } from '../support/world.ts';

/** What a database or a role has as its defaults changes no figure: neither in our queries, nor in the views for BI. */

// Midnight doesn't exist there on the days on which clocks go forward.
const hostile = {
  timezone: 'America/Santiago',
  datestyle: 'SQL, DMY',
  default_transaction_isolation: 'serializable',
  intervalstyle: 'sql_standard',
} as const;

const day = '2026-03-02';
const digest = {
  name: 'Campaigns',
  to: ['ana@example.com'],
  every: 'day' as const,
  accounts: ['north', 'valley'],
  locale: 'en',
  timeZone: 'Europe/Madrid',
  extraFields: [],
  lowBalance: 1_000,
  link: null,
  csv: { separator: ',', decimal: '.' },
};

let world: World;
let database: string;
/** What the queries and the views give under Postgres's own defaults. */
let usual: { readonly queries: object; readonly views: object };

beforeAll(async () => {
  world = await openWorld();
  database = new URL(world.databaseUrl).pathname.slice(1);
  const days = ['run', '--from', '2026-02-25', '--to', '2026-03-03'];
  await command(days, { ...world.environment, ...(await mailsLongAgo(world)) });
  await command(['run'], world.environment);
  // Long enough to have days on which some zone skipped midnight; of these, none is missing.
  await world.query(`update warehouse.accounts set since = '2020-01-01'`);
  usual = { queries: await runQueries(), views: await readViews() };
});
afterAll(() => world.close());

/** The queries of status, page, metrics, planning, digests and alerts. */
async function runQueries(): Promise<object> {
  await using warehouse = openWarehouse(world.databaseUrl, 1);
  const now = Temporal.Instant.from('2026-03-04T07:00:00Z');
  const since = '2020-01-01';
  const { config } = loadConfig(world.environment, { service: false }, createRedactor());
  const context = { config, clock: () => now };
  const figures = (snapshot: Transaction) =>
    readFigures(snapshot, digest, periodOf('day', day), plainOccasion);
  const rows = async (snapshot: Transaction) =>
    Array.fromAsync(
      digestRowPages(snapshot, await readDigestAccounts(snapshot, digest.accounts), periodOf('day', day)),
    );
  return {
    statuses: await accountStatuses(warehouse),
    runs: await lastRuns(warehouse, 10),
    mail: await unsentMail(warehouse),
    page: await readOverview(
      warehouse,
      { now, timeZone: 'UTC', nextRun: null, installation: 'here' },
      context,
    ),
    metrics: (await takeSamples(warehouse, context)).filter(({ name }) => !/seconds|bytes/.test(name)),
    coverage: await readCoverage(warehouse, since),
    ledger: await readLedger(warehouse, since),
    walks: [...(await readWalkStates(warehouse))],
    quarantine: await readQuarantine(warehouse, 10),
    alerts: await readAlerts(warehouse, context),
    open: await openDeliveries(warehouse),
    settled: await settledDigests(warehouse, since),
    incomplete: await incompleteDigests(warehouse, since),
    figures: await inSnapshot(warehouse, '1min', figures),
    csv: await inSnapshot(warehouse, '1min', rows),
  };
}

/** Each view as a session of BI reads it under the settings of the database, and as binary values show it: by a hash of them. */
async function readViews(): Promise<object> {
  const session = new pg.Client({ connectionString: world.databaseUrl });
  await session.connect();
  const views = await world.query<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.views
     where table_schema in ('warehouse', 'etl') order by 1`,
  );
  const contents: Record<string, string[]> = {};
  for (const { name } of views) {
    await session.query(`create table public.seen as select * from ${name}`);
    const rows = await world.query<{ row: string }>(
      'select to_jsonb(s)::text as row from public.seen s order by 1',
    );
    contents[name] = rows.map(({ row }) => row);
    await world.query('drop table public.seen');
  }
  await session.end();
  return contents;
}

describe.each(Object.entries(hostile))('in a database whose %s is %s', (setting, value) => {
  beforeAll(() => world.query(`alter database ${database} set ${setting} to '${value}'`));
  afterAll(() => world.query(`alter database ${database} reset ${setting}`));

  it('queries and views give what they give in any other', async () => {
    expect(await runQueries()).toEqual(usual.queries);
    expect(await readViews()).toEqual(usual.views);
  });
});

it('has figures, days and views to compare', () => {
  const { views, queries } = usual as {
    views: Record<string, string[]>;
    queries: Record<string, { length: number }>;
  };
  expect(views['warehouse.coverage']!.length).toBeGreaterThan(2 * 365);
  expect(views['warehouse.campaign_days']!.length).toBeGreaterThan(10);
  for (const name of ['statuses', 'runs', 'metrics', 'coverage', 'ledger', 'csv'])
    expect(queries[name]!.length, name).toBeGreaterThan(0);
});
