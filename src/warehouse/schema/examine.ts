import { Failure } from '../../model/errors.ts';
import { exitCode } from '../../model/exit-code.ts';
import type { Finding } from '../../model/finding.ts';
import { asTyped } from '../../support/commands.ts';
import { formatCountOf, plural } from '../../support/english.ts';
import { connect, ownSearchPath } from '../db/connection.ts';
import { openWarehouse } from '../db/database.ts';
import { requireWritable } from '../db/writable.ts';
import { grantsTo } from '../failures.ts';
import { pendingMigrations, refuseUnfit } from './migrate.ts';

const oldest = 150_000;

type Facts = {
  readonly version: string;
  readonly number: number;
  readonly role: string;
  readonly mayCreate: boolean;
  readonly mayWrite: boolean;
};

/** Examines version, schema and rights of the database. Only reads. Throws if it can't connect. */
export async function examineDatabase(url: string): Promise<Finding[]> {
  const client = await connect(url);
  try {
    // Sent alone: a pooler in statement mode refuses it and hangs up, and further statements would hide why.
    await client.query('begin');
    await client.query(`set local search_path to ${ownSearchPath}`);
    const { rows } = await client.query<Facts>(`
      select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
        quote_ident(current_user) as role,
        has_database_privilege(current_database(), 'create') as "mayCreate",
        coalesce(has_table_privilege(to_regclass('etl.campaign_days')::oid, 'insert')
          and has_table_privilege(to_regclass('etl.run_lock')::oid, 'update'), false) as "mayWrite"`);
    await client.query('rollback');
    return [version(rows[0]!), await schema(url, rows[0]!)];
  } finally {
    await client.end();
  }
}

function version({ version, number }: Facts): Finding {
  const finding = { area: 'database', subject: 'version', message: `PostgreSQL ${version}` } as const;
  if (number >= oldest) return { ...finding, status: 'ok' };
  return {
    ...finding,
    status: 'error',
    advice: 'use PostgreSQL 15 or newer',
    exitCode: exitCode.configuration,
  };
}

async function schema(url: string, { role, mayCreate, mayWrite }: Facts): Promise<Finding> {
  const finding = { area: 'database', subject: 'schema' } as const;
  const error = { ...finding, status: 'error', exitCode: exitCode.configuration } as const;
  await using warehouse = openWarehouse(url, 1);
  try {
    await refuseUnfit(warehouse);
    await requireWritable(warehouse);
    const { length } = await pendingMigrations(warehouse);
    if (length > 0) {
      const right = mayCreate ? '' : ', as a role that may create schemas: this one may not';
      const message = `${formatCountOf(length, 'migration')} ${plural(length, 'is', 'are')} pending`;
      return { ...error, message, advice: `run: ${asTyped('migrate')}${right}` };
    }
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    const { message, advice, exitCode } = thrown;
    return { ...error, message, advice, exitCode };
  }
  if (mayWrite) return { ...finding, status: 'ok', message: 'is up to date and writable' };
  const advice = `connect as the role that migrated, or type as that role: ${grantsTo(role)}`;
  return { ...error, message: 'the role may not write to it', advice };
}
