import { describe, expect, it } from 'vitest';
import { migrate } from '../../../src/job/run/database.ts';
import { createDatabase, queryAt } from '../../support/database.ts';
import { readDocument } from '../../support/documents.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

/** The tables and views that docs/warehouse.md introduces. */
const listed = [...readDocument('docs/warehouse.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name!);

const { client } = await openTestWarehouse(1);

const names = async (text: string) =>
  (await client.query(text)).rows.map((row) => Object.values(row).join('.'));

describe('the schema', () => {
  it('has a comment on every table, view and column', async () => {
    const silent = await names(
      `select n.nspname, c.relname, a.attname
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where n.nspname in ('warehouse', 'etl') and c.relkind in ('r', 'v') and c.relname not like 'migrations%'
         and (obj_description(c.oid) is null or col_description(c.oid, a.attnum) is null)`,
    );
    expect(silent).toEqual([]);
  });

  it('has the tables and views that docs/warehouse.md lists, and no others', async () => {
    const found = await names(
      `select table_name from information_schema.tables where table_schema = 'warehouse'`,
    );
    expect(listed.toSorted()).toEqual(found.sort());
  });

  it('lets callsheet_reader read all of these, and nothing else', async () => {
    await client.query('begin');
    await client.query('set local role callsheet_reader');
    await client.query('set local search_path to warehouse');
    for (const name of listed) await client.query(`select * from ${name}`);
    for (const forbidden of [
      'select * from etl.runs',
      'delete from warehouse.clients',
      'create table warehouse.t ()',
    ]) {
      await client.query('savepoint before');
      await expect(client.query(forbidden)).rejects.toThrow(/permission denied/);
      await client.query('rollback to before');
    }
    await client.query('rollback');
  });

  it('is migrated once, however many processes migrate at the same time', async () => {
    const empty = await createDatabase();
    const migrated = await Promise.all([migrate(empty.url), migrate(empty.url), migrate(empty.url)]);
    expect(migrated.filter(({ applied }) => applied.length > 0)).toHaveLength(1);
    await empty.drop();
  });

  it('of a version before 1.0.0 cannot be migrated: that is a configuration error with advice', async () => {
    const old = await createDatabase({ template: 'migrated' });
    await queryAt(old.url, 'drop table etl.migration_contents');
    await expect(migrate(old.url)).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringMatching(/by a version before 1\.0\.0, or by edited migrations/),
      advice: expect.stringMatching(/empty database in DATABASE_URL.*, migrate it/),
    });
    await old.drop();
  });
});

it('campaign_days joins only the tables whose columns a query names', async () => {
  const plan = async (columns: string) =>
    (
      await names(`explain (costs off) select ${columns} from warehouse.campaign_days where account_id = 1`)
    ).join();
  expect(await plan('attempts, connect_rate')).not.toMatch(/Join|Nested Loop/);
  expect(await plan('account, client, provisional')).toMatch(/accounts.*clients|clients.*accounts/);
});

it('coverage reaches yesterday, so that a dead job shows as missing days; before the first day, it shows what is loaded', async () => {
  await client.query(
    `insert into warehouse.accounts (name, label, time_zone, first_expected_day)
     values ('north', 'north', 'Pacific/Apia', (now() at time zone 'Pacific/Apia')::date - 3)`,
  );
  await client.query(
    `insert into etl.windows (account_id, day, state)
     select account_id, first_expected_day - n, state from warehouse.accounts,
       (values (40, 'loaded'), (30, 'failed'), (20, 'loaded'), (0, 'loaded')) w (n, state)`,
  );
  const states = await names('select state from warehouse.coverage order by day');
  expect(states).toEqual(['loaded', 'loaded', 'loaded', 'missing', 'missing']);
  await client.query('update warehouse.accounts set first_expected_day = null');
  expect(await names('select state from warehouse.coverage')).toEqual(['loaded', 'loaded', 'loaded']);
});
