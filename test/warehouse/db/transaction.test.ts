import { AbortedTransactionError, sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '../../../src/warehouse/db/transaction.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const { client, warehouse } = await openTestWarehouse(1);
await client.query('create table public.notes (note text unique)');
beforeEach(async () => {
  await sql`truncate public.notes`.execute(warehouse);
});

const add = (note: string) => sql`insert into public.notes values (${note})`;
const notes = async () =>
  (await sql<{ note: string }>`table public.notes`.execute(warehouse)).rows.map(({ note }) => note);

it('a statement with a value that is undefined is refused, and not taken for null', async () => {
  const [note]: string[] = [];
  await expect(sql`insert into public.notes values (${note})`.execute(warehouse)).rejects.toThrow(
    'a value is undefined in: insert into public.notes values (',
  );
  expect(await notes()).toEqual([]);
});

describe('a transaction', () => {
  it('in which a statement failed has failed, though the error was caught', async () => {
    const work = inTransaction(warehouse, async (transaction) => {
      await add('first').execute(transaction);
      await add('first')
        .execute(transaction)
        .catch(() => {});
    });
    await expect(work).rejects.toThrow(AbortedTransactionError);
    expect(await notes()).toEqual([]);
  });

  it('whose connection dies fails with what happened, and the connection is not used again', async () => {
    const work = inTransaction(warehouse, async (transaction) => {
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(transaction);
    });
    await expect(work).rejects.toMatchObject({ code: '57P01' });
    expect(await notes()).toEqual([]);
  });

  it('that Postgres ends in favour of another is done again', async () => {
    let tries = 0;
    await inTransaction(warehouse, async (transaction) => {
      await add(`try ${++tries}`).execute(transaction);
      if (tries < 3) await sql`do $$ begin raise sqlstate '40P01'; end $$`.execute(transaction);
    });
    expect(await notes()).toEqual(['try 3']);
  });

  it('that Postgres ends each time is given up after five attempts', async () => {
    let tries = 0;
    const work = inTransaction(warehouse, async (transaction) => {
      tries++;
      await sql`do $$ begin raise sqlstate '40001'; end $$`.execute(transaction);
    });
    await expect(work).rejects.toMatchObject({ code: '40001' });
    expect(tries).toBe(5);
  });
});
