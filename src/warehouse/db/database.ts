import {
  Kysely,
  type Transaction as KyselyTransaction,
  PostgresDialect,
  PostgresQueryCompiler,
} from 'kysely';
import { createPool } from './connection.ts';
import { Cursor } from './cursor.ts';
import { createSockets } from './sockets.ts';
import type { Tables } from './tables.ts';

/**
 * The open warehouse. Days and timestamps come as text, as Postgres writes them: a Date would move days across zones
 * and cut microseconds off timestamps.
 */
export type Warehouse = Kysely<Tables>;

/** What runs queries: the open warehouse, or a transaction in it. */
export type Queries = Kysely<Tables>;

/** Statements that are committed together, or not at all. */
export type Transaction = KyselyTransaction<Tables>;

/**
 * Opens the warehouse; connections are made when they are needed. End it with `destroy()`.
 *
 * @param url         `postgres://…`
 * @param connections the most that are open at once
 * @param sockets     what they are made of
 */
export function openWarehouse(url: string, connections: number, sockets = createSockets()): Warehouse {
  const pool = createPool(url, connections, sockets);
  return new Kysely<Tables>({ dialect: new StrictDialect({ pool, cursor: Cursor }) });
}

class StrictDialect extends PostgresDialect {
  override createQueryCompiler(): StrictCompiler {
    return new StrictCompiler();
  }
}

/** Refuses a value that is undefined, which pg would take for null without a word. */
class StrictCompiler extends PostgresQueryCompiler {
  protected override appendValue(value: unknown): void {
    if (value === undefined) throw new TypeError(`a value is undefined in: ${this.getSql()}`);
    super.appendValue(value);
  }
}
