import { CompiledQuery } from 'kysely';
import type { Sql } from 'sql-template-tag';
import type * as db from './db/database.ts';

/** On its way out: statements as templates of `sql-template-tag`, run by Kysely. */
export type Legacy = {
  query<Row = unknown>(statement: Sql): Promise<{ readonly rows: Row[]; readonly rowCount: number }>;
};

export function withLegacy<T extends db.Queries>(queries: T): T & Legacy {
  return Object.assign(queries, {
    async query<Row>({ text, values }: Sql) {
      if (values.includes(undefined)) throw new TypeError(`a value is undefined in: ${text}`);
      const { rows, numAffectedRows } = await queries.executeQuery(
        CompiledQuery.raw(text, values as unknown[]),
      );
      return { rows: rows as Row[], rowCount: Number(numAffectedRows ?? rows.length) };
    },
  });
}
