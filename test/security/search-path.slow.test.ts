import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../src/job/run/database.ts';
import { openWarehouse } from '../../src/warehouse/db/database.ts';
import { openPlainSql } from '../../src/warehouse/db/plain-sql.ts';
import { command } from '../support/command.ts';
import { readContents } from '../support/contents.ts';
import { createDatabase } from '../support/database.ts';
import { openWorld, type World } from '../support/world.ts';
import { setTraps } from './traps.ts';

/** What another role makes in `public` doesn't run as ours, whatever the search path of the database is (CVE-2018-1058). */

let world: World;
beforeAll(async () => {
  world = await openWorld();
  await setTraps(world);
});
afterAll(() => world.close());

describe('in a database where public has a trap for each function, aggregate and operator', () => {
  it('whoever relies on the search path falls into them', async () => {
    const client = new pg.Client({ connectionString: world.databaseUrl });
    await client.connect();
    for (const statement of [
      'select now()',
      'select array_agg(n) from (values (1)) v (n)',
      'select sum(n) from (values (1)) v (n)',
      'select 1 + 1',
    ])
      await expect(client.query(statement)).rejects.toThrow(/trap: /);
    await client.end();
  });

  it('every command does what it does in any other, and calls none', async () => {
    const usual = await openWorld();
    const commands = [
      ['run', '--from', '2026-03-02', '--to', '2026-03-08'],
      ['run'],
      ['replay', '--from', '2026-03-02', '--to', '2026-03-03', '--reread'],
      ['digest', '--day', '2026-03-02', '--preview', world.folder],
      ['doctor'],
      ['migrate', '--queue'],
      ['status'],
    ];
    for (const words of commands) {
      const [trapped, expected] = await Promise.all(
        [world, usual].map(({ environment }) => command(words, environment)),
      );
      expect(trapped!.stderr, words[0]).not.toMatch(/trap: /);
      expect(trapped!.code, words[0]).toBe(expected!.code);
    }
    expect(await readContents(world)).toEqual(await readContents(usual));
    await usual.close();
  });

  it('the queue of workers calls none, neither in a statement nor in several of one text', async () => {
    const sqlOfQueue = openPlainSql(world.databaseUrl, 1);
    const { rows } = await sqlOfQueue.executeSql(
      'select count(*) as count, now() - now() as none from warehouse.accounts where now() is null',
    );
    expect(Number(rows[0].count)).toBe(0);
    const several = await sqlOfQueue.executeSql('BEGIN; SELECT now(); COMMIT;');
    expect(several).toBeDefined();
    await sqlOfQueue.end();
  });

  it('our connections have a search path of their own, and others keep that of the database', async () => {
    const warehouse = openWarehouse(world.databaseUrl, 1);
    const shown = async () =>
      (await sql<{ path: string }>`select current_setting('search_path') as path`.execute(warehouse)).rows;
    expect(await shown()).toEqual([{ path: 'pg_catalog, pg_temp' }]);
    await warehouse.destroy();
    const client = new pg.Client({ connectionString: world.databaseUrl });
    await client.connect();
    const { rows } = await client.query('show search_path');
    expect(rows).toEqual([{ search_path: 'public, pg_catalog' }]);
    await client.end();
  });
});

it('an empty database with such traps is migrated, and its views and functions are bound to the right ones', async () => {
  const database = await createDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await setTraps({ databaseUrl: database.url, query: async (text) => (await client.query(text)).rows });
  await migrate(database.url);
  await client.query('set search_path to public, pg_catalog');
  expect((await client.query('select * from warehouse.coverage')).rows).toEqual([]);
  await client.query(
    `insert into warehouse.accounts (name, label, time_zone, first_expected_day) values ('a', 'a', 'UTC', '2026-01-01')`,
  );
  expect((await client.query('select * from warehouse.coverage limit 1')).rows).toHaveLength(1);
  await client.end();
  await database.drop();
});
