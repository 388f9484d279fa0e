import {
  Kysely,
  type Transaction as KyselyTransaction,
  PostgresDialect,
  PostgresQueryCompiler,
} from 'kysely';
import { type DatabaseAddress, openPool, queryTimeoutMs } from './connection.ts';
import type { Tables } from './tables.ts';

/**
 * The open warehouse. Days and timestamps are text, as Postgres writes them: a Date would move days across
 * zones and cut microseconds off timestamps.
 */
export type Warehouse = Kysely<Tables>;

/** The open warehouse, or a transaction in it. */
export type Queries = Kysely<Tables>;

/** Statements that are committed together, or not at all. */
export type Transaction = KyselyTransaction<Tables>;

/**
 * Opens the warehouse; connections are opened when they are needed. End it with `destroy()`.
 *
 * @param connections maximum that are open at once
 * @param timeoutMs   maximum time of a query; 0 for none
 */
export function openWarehouse(
  address: DatabaseAddress,
  connections: number,
  timeoutMs = queryTimeoutMs,
): Warehouse {
  const pool = openPool(address, { max: connections, query_timeout: timeoutMs });
  return new Kysely<Tables>({ dialect: new StrictDialect({ pool }) });
}

class StrictDialect extends PostgresDialect {
  override createQueryCompiler(): StrictCompiler {
    return new StrictCompiler();
  }
}

/** Refuses a value that is undefined: pg would silently take it for null. */
class StrictCompiler extends PostgresQueryCompiler {
  protected override appendValue(value: unknown): void {
    if (value === undefined) throw new TypeError(`a value is undefined in: ${this.getSql()}`);
    super.appendValue(value);
  }
}
