import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { format } from 'sql-formatter';
import { connectionOptions } from '../../src/warehouse/db/connection.ts';
import type { Warehouse } from '../../src/warehouse/db/database.ts';
import type { Tables } from '../../src/warehouse/db/tables.ts';

export type Recorded = { readonly name: string; readonly statements: readonly string[] };

export type QueryRecorder = AsyncDisposable & {
  readonly warehouse: Warehouse;
  /** Runs a function and records its statements under a name, each only once. */
  record<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Returns the statements recorded since the last call, as formatted SQL. */
  take(): string;
};

export function recordQueries(url: string): QueryRecorder {
  const recorded = new Map<string, Set<string>>();
  let current: Set<string> | null = null;
  const warehouse = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ ...connectionOptions(url), max: 1 }) }),
    log: ({ query }) => void current?.add(query.sql.trim()),
  });
  return {
    warehouse,
    async record(name, work) {
      current = recorded.get(name) ?? new Set();
      recorded.set(name, current);
      try {
        return await work();
      } finally {
        current = null;
      }
    },
    take() {
      const text = [...recorded].map(([name, statements]) => section(name, statements)).join('\n');
      recorded.clear();
      return text;
    },
    [Symbol.asyncDispose]: () => warehouse.destroy(),
  };
}

/** False for the timeouts that every transaction sets. */
const isSpecific = (statement: string) => !/^select set_config\(/.test(statement);

function section(name: string, statements: ReadonlySet<string>): string {
  const formatted = [...statements]
    .filter(isSpecific)
    .map((statement) => `${format(statement, { language: 'postgresql', tabWidth: 2 })};\n`);
  return `-- ${name}\n\n${formatted.join('\n')}`;
}
