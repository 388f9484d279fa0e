import pg from 'pg';
import { expect } from 'vitest';
import type { Environment } from '../../src/config/environment.ts';
import { type Dataset, generateDataset } from '../../src/simulator/dataset.ts';
import { callsheet } from '../support/callsheet.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { openWorld, type World } from '../support/world.ts';

/** All that ever happened: the walks are those of the day on which this test runs. */
export const command = ['replay', '--from', '2000-01-01', '--to', '2999-12-31'];

/** A database whose history has restatements and clients with more than one name; nobody is connected to it. */
export async function makeHistory(): Promise<TestDatabase> {
  let nth = 0;
  const world = await openWorld({ dataset: changing(() => nth) });
  const database = await createDatabase({ template: 'migrated' });
  const environment = { ...world.environment, DATABASE_URL: database.url };
  for (nth of [1, 2]) {
    const run = ['run', '--from', '2026-03-01', '--to', '2026-03-03', '--no-digest'];
    expect(await callsheet(run, environment)).toMatchObject({ code: 0 });
  }
  await world.close();
  return database;
}

/** The second time one campaign in three has other counts, and one client in ten another name. */
function changing(nth: () => number): Dataset {
  const dataset = generateDataset();
  const more = (id: number, every: number) => (nth() === 2 && id % every === 0 ? 1 : 0);
  return {
    ...dataset,
    campaigns: (...parameters) =>
      dataset
        .campaigns(...parameters)
        .map((each) => ({ ...each, attempts: each.attempts + more(each.callsetid, 3) })),
    clients: (account) =>
      dataset
        .clients(account)
        .map((each) => (more(each.clientid, 10) ? { ...each, clientname: `${each.clientname} II` } : each)),
  };
}

export type Copy = AsyncDisposable & Pick<World, 'query'> & { readonly environment: Environment };

/** A copy of that database; a replay needs nothing else. */
export async function openCopy(history: TestDatabase): Promise<Copy> {
  const database = await createDatabase({ template: new URL(history.url).pathname.slice(1) });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  return {
    environment: { DATABASE_URL: database.url },
    query: async (text, values) => (await client.query(text, values)).rows,
    async [Symbol.asyncDispose]() {
      await client.end();
      await database.drop();
    },
  };
}

/** Spoils what a replay ought to mend, but not so that the warehouse contradicts itself. */
export async function spoil({ query }: Copy): Promise<void> {
  const later = `loaded_at = loaded_at + interval '1 day'`;
  await query(`update etl.campaign_days set extra = '{"spoilt": true}', ${later}`);
  await query(`update warehouse.account_days set ${later}`);
  await query(`update etl.windows set ${later}`);
  await query('delete from warehouse.campaign_day_restatements');
  await query(`update warehouse.clients set extra = '{"spoilt": true}', changed_at = now()`);
  await query('delete from etl.past_client_versions');
  await query('delete from etl.past_client_balances');
}

/** The days and the client lists of which a part is spoilt and another part is not. */
export async function halfMended({ query }: Copy): Promise<unknown[]> {
  const half = `having bool_or(extra ? 'spoilt') and not bool_and(extra ? 'spoilt')`;
  return await query(`
    select account_id, day from etl.campaign_days group by account_id, day ${half}
    union all
    select account_id, null from warehouse.clients group by account_id ${half}`);
}

/** Every row that a replay builds with every column of it, instants included. */
export async function readEverything({ query }: Copy): Promise<string[]> {
  const tables = await query<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.tables
     where table_type = 'BASE TABLE' and (table_schema = 'warehouse' or table_schema = 'etl' and table_name in
       ('windows', 'campaign_days', 'past_account_days', 'client_absences', 'past_client_versions', 'past_client_balances'))`,
  );
  const selects = tables.map(({ name }) => `select '${name} ' || to_jsonb(t)::text as line from ${name} t`);
  return (await query<{ line: string }>(`${selects.join(' union all ')} order by 1`)).map(({ line }) => line);
}
