import { type Kysely, sql } from 'kysely';

/**
 * Switches JIT off for the sessions of this role and of the reader, in this database. Postgres overestimates
 * queries over generated days, and would compile them for seconds. A session that connects directly switches it
 * off itself; behind a pooler in transaction mode only the role's setting holds.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const role of ['current_user', 'callsheet_reader'])
    await sql`
      do $$
      begin
        execute format('alter role ${sql.raw(role)} in database %I set jit = off', current_database());
      exception
        when undefined_object or insufficient_privilege then null;
      end
      $$;
    `.execute(db);
}
