import type pg from 'pg';
import Cursor from 'pg-cursor';
import type { Sql } from 'sql-template-tag';
import type { Answer, Transaction } from './warehouse.ts';

/** Asks the database one statement. A connection of the pool that fails is thrown away. */
export async function ask<Row>(of: pg.Pool | pg.ClientBase, statement: Sql): Promise<Answer<Row>> {
  const { rows, rowCount } = await of.query(asPgTakesIt(statement));
  return { rows, rowCount: rowCount ?? 0 };
}

/** Does `work` on one connection, from `begin` to the commit; or rolls it back and tells why. */
export async function transact<T>(
  pool: pg.Pool,
  begin: Sql,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  try {
    await ask(client, begin);
    const result = await whileOpen(client, work);
    await commit(client);
    return result;
  } catch (error) {
    broken = !(await rolledBack(client));
    throw error;
  } finally {
    client.release(broken);
  }
}

/** What is still asked when `work` has ended would be part of whatever comes next on that connection. */
async function whileOpen<T>(
  client: pg.ClientBase,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  let open = true;
  const connection = () => {
    if (open) return client;
    throw new Error('the transaction has ended');
  };
  try {
    return await work({
      query: async (statement) => await ask(connection(), statement),
      stream: (statement, atOnce) => stream(connection(), statement, atOnce),
    });
  } finally {
    open = false;
  }
}

/** Postgres takes the commit of a transaction in which a statement failed for a rollback, without a word of it. */
async function commit(client: pg.ClientBase): Promise<void> {
  const { command } = await client.query('commit');
  if (command === 'ROLLBACK') throw new Error('a statement failed, and with it the transaction');
}

/** Where a connection died, the rollback can only fail, too. */
async function rolledBack(client: pg.ClientBase): Promise<boolean> {
  return await client.query('rollback').then(
    () => true,
    () => false,
  );
}

async function* stream<Row>(
  client: pg.ClientBase,
  statement: Sql,
  atOnce: number,
): AsyncGenerator<Row, void> {
  const { text, values } = asPgTakesIt(statement);
  const cursor = client.query(new Cursor<Row>(text, values));
  let failed = false;
  try {
    for (;;) {
      const rows = await cursor.read(atOnce);
      if (rows.length === 0) return;
      yield* rows;
    }
  } catch (error) {
    failed = true;
    throw error;
  } finally {
    // One that failed is closed; on a connection that died, closing it again would wait for ever.
    if (!failed) await cursor.close();
  }
}

/** Unnamed, for behind a pooler the next one may come to another connection. */
function asPgTakesIt({ text, values }: Sql): { text: string; values: unknown[] } {
  // pg would take it for null.
  if (values.includes(undefined)) throw new TypeError(`a value is undefined in: ${text}`);
  return { text, values };
}
