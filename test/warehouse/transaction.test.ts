import sql from 'sql-template-tag';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openWarehouse } from '../../src/warehouse/open.ts';
import { inSnapshot, inTransaction } from '../../src/warehouse/transaction.ts';
import type { Transaction, Warehouse } from '../../src/warehouse/warehouse.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';

let database: TestDatabase;
let warehouse: Warehouse;
beforeAll(async () => {
  database = await createDatabase();
  warehouse = openWarehouse(database.url, 1);
  await warehouse.query(sql`create table notes (note text unique)`);
});
beforeEach(async () => {
  await warehouse.query(sql`truncate notes`);
});
afterAll(async () => {
  await warehouse.destroy();
  await database.drop();
});

const add = (note: string) => sql`insert into notes values (${note})`;
const notes = async () =>
  (await warehouse.query<{ note: string }>(sql`table notes`)).rows.map(({ note }) => note);
const myself = sql`select pg_backend_pid() as pid`;
const myConnection = async () => (await warehouse.query<{ pid: number }>(myself)).rows[0]!.pid;

describe('a statement', () => {
  it('tells its rows, and how many it wrote', async () => {
    expect(await warehouse.query(add('first'))).toEqual({ rows: [], rowCount: 1 });
    expect(await warehouse.query(sql`table notes`)).toEqual({ rows: [{ note: 'first' }], rowCount: 1 });
    expect(await warehouse.query(sql`update notes set note = 'x' where false`)).toMatchObject({
      rowCount: 0,
    });
  });

  it('with a value that is undefined is refused, and not taken for null', async () => {
    const [note]: string[] = [];
    await expect(warehouse.query(sql`insert into notes values (${note})`)).rejects.toThrow(
      'a value is undefined in: insert into notes values ($1)',
    );
    expect(await notes()).toEqual([]);
  });
});

describe('a transaction', () => {
  it('that fails leaves nothing, and its connection for the next', async () => {
    const connection = await myConnection();
    const work = inTransaction(warehouse, async (transaction) => {
      await transaction.query(add('first'));
      throw new Error('enough');
    });
    await expect(work).rejects.toThrow('enough');
    expect(await notes()).toEqual([]);
    expect(await myConnection()).toBe(connection);
  });

  it('in which a statement failed has failed, though nobody minded', async () => {
    const work = inTransaction(warehouse, async (transaction) => {
      await transaction.query(add('first'));
      await transaction.query(add('first')).catch(() => {});
    });
    await expect(work).rejects.toThrow('a statement failed, and with it the transaction');
    expect(await notes()).toEqual([]);
  });

  it('takes no statement when it has ended, which would be part of the next one', async () => {
    let late: Transaction | undefined;
    await inTransaction(warehouse, async (transaction) => {
      late = transaction;
    });
    await expect(late!.query(add('late'))).rejects.toThrow('the transaction has ended');
    expect(() => late!.stream(sql`table notes`, 1)).toThrow('the transaction has ended');
    expect(await notes()).toEqual([]);
  });

  it('whose connection dies fails with what happened, and the connection is not used again', async () => {
    const work = inTransaction(warehouse, async (transaction) => {
      await transaction.query(sql`select pg_terminate_backend(pg_backend_pid())`);
    });
    await expect(work).rejects.toMatchObject({ code: '57P01' });
    expect(await notes()).toEqual([]);
  });

  it('that Postgres ends in favour of another is done again', async () => {
    let tries = 0;
    await inTransaction(warehouse, async (transaction) => {
      await transaction.query(add(`try ${++tries}`));
      if (tries < 3) await transaction.query(sql`do $$ begin raise sqlstate '40P01'; end $$`);
    });
    expect(await notes()).toEqual(['try 3']);
  });

  it('that never comes through is given up', async () => {
    let tries = 0;
    const work = inTransaction(warehouse, async (transaction) => {
      tries++;
      await transaction.query(sql`do $$ begin raise sqlstate '40001'; end $$`);
    });
    await expect(work).rejects.toMatchObject({ code: '40001' });
    expect(tries).toBe(5);
  });
});

describe('rows from a cursor', () => {
  const numbers = sql`select n, repeat('x', 1000) as filling from generate_series(1, 5000) n`;

  it('that fail on the way tell why, and leave the connection for the next', async () => {
    const connection = await myConnection();
    const work = inSnapshot(warehouse, '5s', (snapshot) =>
      Array.fromAsync(snapshot.stream(sql`select 1 / (3 - n) from generate_series(1, 5) n`, 1)),
    );
    await expect(work).rejects.toThrow('division by zero');
    expect(await myConnection()).toBe(connection);
  });

  it('whose connection dies on the way fail at once', async () => {
    const proxy = await startPostgresProxy(database.url);
    const beyond = openWarehouse(proxy.url, 1);
    let seen = 0;
    const work = inSnapshot(beyond, '5min', async (snapshot) => {
      for await (const _ of snapshot.stream(numbers, 100)) if (++seen === 150) await proxy.cut();
    });
    await expect(work).rejects.toThrow('Connection terminated unexpectedly');
    expect(seen).toBeLessThan(5_000);
    expect((await beyond.query(sql`select 1 as one`)).rows).toEqual([{ one: 1 }]);
    await beyond.destroy();
    await proxy.close();
  });
});
