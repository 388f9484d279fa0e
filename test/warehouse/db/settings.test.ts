import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { openPlainSql } from '../../../src/warehouse/db/plain-sql.ts';
import { inSnapshot, inTransaction } from '../../../src/warehouse/db/transaction.ts';
import { createDatabase, lockWaits, type TestDatabase, unusualSettings } from '../../support/database.ts';

let database: TestDatabase;
let warehouse: Warehouse;
let beside: pg.Client;
beforeAll(async () => {
  database = await createDatabase();
  await unusualSettings(database.url);
  warehouse = openWarehouse(database.url, 2);
  beside = new pg.Client({ connectionString: database.url });
  await beside.connect();
  await beside.query('create table public.counters (name text primary key, count integer)');
});
afterAll(async () => {
  await beside.end();
  await warehouse.destroy();
  await database.drop();
});

const dates = sql<{ day: string; at: string }>`
  select date '2026-03-02' as day, timestamptz '2026-03-02T06:30:00.5Z' as at`;
const isolation = sql<{ level: string }>`select current_setting('transaction_isolation') as level`;

describe('in a database with another date style, zone and isolation level', () => {
  it('days and timestamps are read as ISO text in UTC, in a transaction and outside of one', async () => {
    const expected = [{ day: '2026-03-02', at: '2026-03-02 06:30:00.5+00' }];
    expect((await dates.execute(warehouse)).rows).toEqual(expected);
    expect((await inTransaction(warehouse, (transaction) => dates.execute(transaction))).rows).toEqual(
      expected,
    );
  });

  it('transactions are read committed, a statement by itself, too, and snapshots repeatable read', async () => {
    const level = async (executed: Promise<{ rows: { level: string }[] }>) => (await executed).rows[0]!.level;
    expect(await level(inTransaction(warehouse, (one) => isolation.execute(one)))).toBe('read committed');
    expect(await level(inSnapshot(warehouse, '5s', (one) => isolation.execute(one)))).toBe('repeatable read');
    expect(await level(isolation.execute(warehouse))).toBe('read committed');
  });

  it('a statement by itself goes on with what another transaction has committed meanwhile', async () => {
    await beside.query(`insert into public.counters values ('warehouse', 0), ('queue', 0)`);
    await beside.query('begin isolation level read committed');
    await beside.query('update public.counters set count = 1');
    const waiting = sql`update public.counters set count = count + 10 where name = 'warehouse'`.execute(
      warehouse,
    );
    const queue = openPlainSql(database.url, 1);
    const alsoWaiting = queue.executeSql(`update public.counters set count = count + 10 where name = $1`, [
      'queue',
    ]);
    await lockWaits(database.url, 2);
    await beside.query('commit');
    await Promise.all([waiting, alsoWaiting]);
    const { rows } = await beside.query('select count from public.counters');
    expect(rows).toEqual([{ count: 11 }, { count: 11 }]);
    await queue.end();
  });
});
