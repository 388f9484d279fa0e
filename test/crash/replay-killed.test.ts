import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Environment } from '../../src/config/environment.ts';
import { disagreements } from '../support/agreement.ts';
import { callsheet } from '../support/callsheet.ts';
import { changing } from '../support/changing.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { runNight } from '../support/nights.ts';
import type { Commit } from '../support/postgres-proxy.ts';
import { openWorld, type World } from '../support/world.ts';
import { killPointsAround } from './kill-points.ts';
import { killAt, lockFreed, observe } from './killing.ts';

const command = ['replay', '--from', '2000-01-01', '--to', '2999-12-31'];
const inOrder = { CONCURRENCY: '1' };

let history: TestDatabase;
let contents: string[];
let commits: readonly Commit[];

/** Days that are restated and clients that are renamed, and what a replay of it that nobody disturbs commits. */
beforeAll(async () => {
  const { changes, dataset } = changing();
  const world = await openWorld({ dataset });
  history = await createDatabase({ template: 'migrated' });
  const night = { environment: { ...world.environment, DATABASE_URL: history.url } };
  const request = { days: ['2026-03-01', '2026-03-02', '2026-03-03'], digest: false };
  await runNight(night, '2026-03-04', {}, request);
  changes.campaigns = (list) => list.map((each) => ({ ...each, attempts: each.attempts + 1 }));
  changes.clients = (list) => list.map((each) => ({ ...each, clientname: `${each.clientname} II` }));
  await runNight(night, '2026-03-05', {}, request);
  await world.close();

  await using copy = await openCopy();
  contents = await readRebuilt(copy);
  await spoil(copy);
  expect(await readRebuilt(copy)).not.toEqual(contents);
  ({ commits } = await observe(command, copy.environment));
  expect(await readRebuilt(copy)).toEqual(contents);
});
afterAll(() => history.drop());

type Copy = AsyncDisposable & Pick<World, 'query'> & { readonly environment: Environment };

/** A copy of the history; a replay needs nothing else. */
async function openCopy(): Promise<Copy> {
  const database = await createDatabase({ template: new URL(history.url).pathname.slice(1) });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  return {
    environment: { DATABASE_URL: database.url, ...inOrder },
    query: async (text, values) => (await client.query(text, values)).rows,
    async [Symbol.asyncDispose]() {
      await client.end();
      await database.drop();
    },
  };
}

/** Spoils what a replay mends, but not so that the warehouse contradicts itself. */
async function spoil({ query }: Copy): Promise<void> {
  await query(`update etl.campaign_days set extra = '{"spoilt": true}'`);
  await query('delete from warehouse.campaign_day_restatements');
  await query(`update warehouse.clients set extra = '{"spoilt": true}'`);
  await query('delete from etl.past_client_versions');
}

/** The days and the client lists of which a part is spoilt and another part is not. */
async function halfMended({ query }: Copy): Promise<unknown[]> {
  const half = `having bool_or(extra ? 'spoilt') and not bool_and(extra ? 'spoilt')`;
  return await query(`
    select account_id, day from etl.campaign_days group by account_id, day ${half}
    union all
    select account_id, null from warehouse.clients group by account_id ${half}`);
}

/** Every row that a replay builds with every column of it, instants included. */
async function readRebuilt({ query }: Copy): Promise<string[]> {
  const tables = await query<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.tables
     where table_type = 'BASE TABLE' and (table_schema = 'warehouse' or table_schema = 'etl' and table_name in
       ('windows', 'campaign_days', 'past_account_days', 'client_absences', 'past_client_versions', 'past_client_balances'))`,
  );
  const selects = tables.map(({ name }) => `select '${name} ' || to_jsonb(t)::text as line from ${name} t`);
  return (await query<{ line: string }>(`${selects.join(' union all ')} order by 1`)).map(({ line }) => line);
}

it('a replay that is killed leaves no day and no client list half rebuilt, and the next one completes it', async () => {
  const killPoints = killPointsAround(commits);
  for (const part of [0.3, 0.5, 0.7]) {
    const { title, killPoint } = killPoints[Math.floor(part * killPoints.length)]!;
    await using copy = await openCopy();
    await spoil(copy);
    await killAt(killPoint, command, copy.environment);
    expect(await disagreements(copy), title).toEqual([]);
    expect(await halfMended(copy), title).toEqual([]);
    await lockFreed(copy);
    expect(await callsheet(command, copy.environment)).toMatchObject({ code: 0, stdout: '' });
    expect(await readRebuilt(copy), title).toEqual(contents);
  }
});
