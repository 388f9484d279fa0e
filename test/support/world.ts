import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { Environment } from '../../src/config/environment.ts';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { createDatabase } from './database.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';

/** Everything that the job needs: a simulator, a migrated database and a folder. */
export type World = {
  readonly simulator: Simulator;
  readonly databaseUrl: string;
  readonly folder: string;
  readonly outbox: string;
  readonly environment: Environment;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
};

/**
 * Returns settings that let a dated run mail digests of long ago, where the tests' days are by the machine's clock. The
 * accounts and the digest of DIGEST_TO start on 1 January 2026, as if an undated run had started then.
 */
export async function mailsLongAgo(
  world: Pick<World, 'query'>,
  accounts: readonly string[] = generateDataset().accounts.map(({ name }) => name),
) {
  await world.query(
    `insert into warehouse.accounts (name, label, time_zone, first_expected_day)
     select name, name, 'UTC', date '2026-01-01' from unnest($1::text[]) name
     on conflict (name) do update set first_expected_day = excluded.first_expected_day`,
    [accounts],
  );
  await world.query(
    `insert into etl.digest_starts (name, every, day) values ('Campaigns', 'day', '2025-12-31') on conflict do nothing`,
  );
  return { CATCH_UP_DAYS: '3660' };
}

/** A migrated database, and a connection of the test's own. */
export type Place = {
  readonly url: string;
  readonly query: World['query'];
  close(): Promise<void>;
};

/** A database on the suite's server. */
async function openPlace(): Promise<Place> {
  const { url, drop } = await createDatabase({ template: 'migrated' });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let last: Promise<unknown> = Promise.resolve();
  return {
    url,
    // Queued, because a test may query while another query is running.
    async query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]) {
      const result = last.then(() => client.query<Row>(text, values));
      last = result.catch(() => {});
      return (await result).rows;
    },
    async close() {
      await client.end();
      await drop();
    },
  };
}

export async function openWorld(options: SimulatorOptions = {}, place?: Place): Promise<World> {
  const simulator = await startSimulator(options);
  const { url, query, close } = place ?? (await openPlace());
  const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-world-'));
  const outbox = path.join(folder, 'outbox');
  const accountsFile = path.join(folder, 'accounts.json');
  const accounts = (options.dataset ?? generateDataset()).accounts;
  await writeFile(
    accountsFile,
    JSON.stringify(accounts.map(({ name, token }) => ({ name, sidtoken: token }))),
    { mode: 0o600 },
  );
  return {
    simulator,
    databaseUrl: url,
    folder,
    outbox,
    environment: {
      SERVICE_BASE_URL: simulator.url,
      ACCOUNTS_FILE: accountsFile,
      DATABASE_URL: url,
      OUTBOX_DIR: outbox,
      DIGEST_TO: 'ana@example.com',
      LOG_FORMAT: 'json',
      LOG_LEVEL: 'info',
      RETRIES: '1',
      HTTP_PORT: '0',
    },
    query,
    async close() {
      await simulator.close();
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
