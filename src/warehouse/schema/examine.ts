import type { Finding } from '../../model/alert.ts';
import { Failure } from '../../model/errors.ts';
import { exitCode } from '../../model/exit-code.ts';
import type { Account } from '../../model/records.ts';
import { asTyped } from '../../support/commands.ts';
import { formatCountOf, formatList, plural } from '../../support/english.ts';
import { connect, ownSearchPath } from '../db/connection.ts';
import { openWarehouse } from '../db/database.ts';
import { grantsTo } from '../failures.ts';
import { requireZones } from '../ledger/accounts.ts';
import { pendingMigrations } from './migrate.ts';

const oldest = 150_000;

/** Timeout of a second connection. */
const besideMs = 5_000;

type Facts = {
  readonly version: string;
  readonly number: number;
  readonly role: string;
  readonly backend: number;
  readonly database: string;
  /** Whether statements may be compiled. Our own sessions switch it off, but a pooler loses that setting. */
  readonly compiles: boolean;
  readonly mayCreate: boolean;
  readonly mayWrite: boolean;
  /** Roles that may create functions in `public`. */
  readonly publicWriters: readonly string[];
};

/**
 * Examines version, pooler, schema and rights of the database. Only reads. Throws if it can't connect.
 *
 * @param connections number of connections that a run works with, besides that of its lock
 */
export async function examineDatabase(
  url: string,
  migratesElsewhere: boolean,
  connections: number,
): Promise<Finding[]> {
  const { findings, facts } = await examineConnection(url, migratesElsewhere, connections);
  return [...findings, publicSchema(facts), await schema(url, facts)];
}

async function examineConnection(url: string, migratesElsewhere: boolean, connections: number) {
  const client = await connect(url);
  try {
    // Sent alone: a pooler in statement mode refuses it and hangs up, and further statements would hide why.
    await client.query('begin');
    await client.query(`set local search_path to ${ownSearchPath}`);
    const { rows } = await client.query<Facts>(`
      select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
        quote_ident(current_user) as role, quote_ident(current_database()) as database, pg_backend_pid() as backend,
        pg_jit_available() as compiles,
        has_database_privilege(current_database(), 'create') as "mayCreate",
        coalesce(has_table_privilege(to_regclass('etl.campaign_days')::oid, 'insert')
          and has_table_privilege(to_regclass('etl.run_lock')::oid, 'update'), false) as "mayWrite",
        array(
          select case a.grantee when 0 then 'every role' else a.grantee::regrole::text end
          from pg_namespace n, aclexplode(n.nspacl) a
          where n.nspname = 'public' and a.privilege_type = 'CREATE'
            and a.grantee not in (n.nspowner, current_user::regrole::oid)
        ) as "publicWriters"`);
    // A pooler makes up its own process ids.
    const pooled = (client as unknown as { processID: number }).processID !== rows[0]!.backend;
    const findings = [version(rows[0]!), pooler(pooled, migratesElsewhere)];
    if (pooled) findings.push(await pool(url, connections), compilation(rows[0]!));
    await client.query('rollback');
    return { findings, facts: rows[0]! };
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

function pooler(pooled: boolean, migratesElsewhere: boolean): Finding {
  const finding = { area: 'database', subject: 'pooler' } as const;
  if (!pooled) return { ...finding, status: 'ok', message: 'none: a direct connection' };
  const message = 'DATABASE_URL leads to a connection pooler';
  if (migratesElsewhere)
    return { ...finding, status: 'ok', message: `${message}, MIGRATE_DATABASE_URL is set` };
  return {
    ...finding,
    status: 'warning',
    message,
    advice: 'set MIGRATE_DATABASE_URL to the database itself',
  };
}

/** Examines whether the pooler has the connections for the work while the run lock's transaction is open. */
async function pool(url: string, connections: number): Promise<Finding> {
  const finding = { area: 'database', subject: 'pool' } as const;
  const beside = await Promise.all(Array.from({ length: connections }, () => connect(url, besideMs)));
  try {
    // All stay open until each has replied: in session mode no two clients then share a connection.
    const replies = await Promise.allSettled(beside.map((other) => other.query('select 1')));
    const given = replies.filter(({ status }) => status === 'fulfilled').length;
    if (given === connections)
      return { ...finding, status: 'ok', message: 'the pooler gives a run its connections' };
    return { ...finding, status: 'error', exitCode: exitCode.unavailable, ...tooSmall(given, connections) };
  } finally {
    await Promise.all(beside.map((other) => other.end()));
  }
}

function tooSmall(given: number, connections: number) {
  const within = `within ${besideMs / 1000} s`;
  if (given === 0)
    return {
      message: `the pooler gave no second connection ${within}, and the run lock takes the first`,
      advice: 'give it a pool of at least 2 (in PgBouncer, default_pool_size)',
    };
  return {
    message: `the pooler gave ${given + 1} connections of ${connections + 1} ${within}: probably a pool in session mode`,
    advice: `set it to transaction mode (in PgBouncer, pool_mode), give it a pool of at least ${connections + 1}, or lower CONCURRENCY`,
  };
}

/** Compiling takes seconds for a statement that runs for milliseconds. */
function compilation({ compiles, role, database }: Facts): Finding {
  const finding = { area: 'database', subject: 'JIT' } as const;
  if (!compiles) return { ...finding, status: 'ok', message: 'off: statements are not compiled' };
  return {
    ...finding,
    status: 'warning',
    message: 'on for this role: behind a pooler, some statements take seconds longer',
    advice: `type in psql: alter role ${role} in database ${database} set jit = off`,
  };
}

/** Behind a pooler in transaction mode our statements may run such functions, as those of other roles do. */
function publicSchema({ publicWriters }: Facts): Finding {
  const finding = { area: 'database', subject: 'schema public' } as const;
  if (publicWriters.length === 0)
    return { ...finding, status: 'ok', message: 'only its owner makes functions there' };
  return {
    ...finding,
    status: 'warning',
    message: `${formatList(publicWriters)} may make functions there, which others run unawares (CVE-2018-1058)`,
    advice: 'revoke create on schema public from public, or from that role',
  };
}

/** Examines whether the database knows the zones of the accounts: if it doesn't, a run ends at its start. */
export async function examineZones(
  url: string,
  accounts: readonly Pick<Account, 'name' | 'timeZone'>[],
): Promise<Finding> {
  const finding = { area: 'database', subject: 'time zones' } as const;
  await using warehouse = openWarehouse(url, 1);
  try {
    await requireZones(warehouse, accounts);
    return { ...finding, status: 'ok', message: 'the database knows those of all accounts' };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { message, advice, exitCode } = error;
    return { ...finding, status: 'error', message, advice, exitCode };
  }
}

async function schema(url: string, { role, mayCreate, mayWrite }: Facts): Promise<Finding> {
  const finding = { area: 'database', subject: 'schema' } as const;
  const error = { ...finding, status: 'error', exitCode: exitCode.configuration } as const;
  await using warehouse = openWarehouse(url, 1);
  try {
    const { length } = await pendingMigrations(warehouse);
    if (length > 0) {
      const right = mayCreate ? '' : ', as a role that may create schemas: this one may not';
      const message = `${formatCountOf(length, 'migration')} ${plural(length, 'is', 'are')} pending`;
      return { ...error, message, advice: `run: ${asTyped('migrate')}${right}` };
    }
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    const { message, advice } = thrown;
    return { ...error, message, advice };
  }
  if (mayWrite) return { ...finding, status: 'ok', message: 'is the newest, and may be written to' };
  const advice = `connect as the role that migrated, or type as that role: ${grantsTo(role)}`;
  return { ...error, message: 'the role may not write to it', advice };
}
