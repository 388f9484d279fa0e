import { type Kysely, sql } from 'kysely';

/** Definition and comment of each column, by name. */
type Columns = Readonly<Record<string, readonly [definition: string, comment: string]>>;

/** Comment of each column, by name. */
type Comments = Readonly<Record<string, string>>;

/** Creates a table with a comment on itself and on every column; `constraints` follow the columns. */
export async function createTable(
  db: Kysely<unknown>,
  name: string,
  comment: string,
  columns: Columns,
  constraints: readonly string[] = [],
): Promise<void> {
  const lines = [
    ...Object.entries(columns).map(([column, [definition]]) => `${column} ${definition}`),
    ...constraints,
  ];
  await sql`create table ${sql.raw(name)} (${sql.raw(lines.join(',\n'))})`.execute(db);
  await sql`comment on table ${sql.raw(name)} is ${sql.lit(comment)}`.execute(db);
  for (const [column, [, meaning]] of Object.entries(columns)) await commentOn(db, name, column, meaning);
}

/** Creates a view with a comment on itself and on every column. */
export async function createView(
  db: Kysely<unknown>,
  name: string,
  comment: string,
  columns: Comments,
  query: string,
): Promise<void> {
  await sql`create view ${sql.raw(name)} as ${sql.raw(query)}`.execute(db);
  await sql`comment on view ${sql.raw(name)} is ${sql.lit(comment)}`.execute(db);
  for (const [column, meaning] of Object.entries(columns)) await commentOn(db, name, column, meaning);
}

async function commentOn(db: Kysely<unknown>, name: string, column: string, meaning: string): Promise<void> {
  await sql`comment on column ${sql.raw(`${name}.${column}`)} is ${sql.lit(meaning)}`.execute(db);
}

/** Runs statements without parameters. */
export async function execute(db: Kysely<unknown>, ...statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
