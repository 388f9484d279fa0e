import { Failure } from '../model/errors.ts';
import { asTyped } from '../support/commands.ts';
import { formatCountOf } from '../support/english.ts';

/** SQLSTATEs that stay until somebody changes a setting or grants a right. */
const refusals: Readonly<Record<string, string>> = {
  '28P01': 'the password is wrong',
  '28000': 'the user may not log in',
  '3D000': 'the database does not exist',
  '42501': 'the user lacks a right',
};

/** SQLSTATE classes of what passes: connection, resources, operator, conflict, lock and idle time-outs. */
const retryable = /^(08|53|57|40|55P|25P03)/;
/** pg's words for a query without a reply, and PgBouncer's for one that it has no connection for. */
const withoutResponse = /^Query read timeout$|query_wait_timeout/;
const networkCalls: ReadonlySet<unknown> = new Set(['connect', 'read', 'write', 'getaddrinfo']);

/** What an error of the database means to an operator; null where it is an error of ours. */
export function warehouseFailure(error: unknown): Failure | null {
  if (!(error instanceof Error)) return null;
  const nested = error instanceof AggregateError ? error.errors[0] : error;
  const code = (nested as { code?: unknown }).code;
  const message = nested instanceof Error ? nested.message : error.message;
  if (typeof code === 'string' && code in refusals)
    return misconfigured(`the database refuses: ${refusals[code]} (${message})`, 'check DATABASE_URL');
  if (/does not support SSL|SSL connection|certificate|self.signed/i.test(message))
    return misconfigured(`the database and sslmode don't agree (${message})`, 'check DATABASE_URL');
  if (/statement pooling mode/.test(message))
    return misconfigured(
      `the pooler before the database gives a connection for single statements alone (${message})`,
      'set it to transaction mode (in PgBouncer, pool_mode)',
    );
  if (withoutResponse.test(message))
    return unavailable(
      `the database can't be used (no response: ${message})`,
      'check that it runs, and that a pooler before it has connections left: in transaction mode a run takes two, in session mode one more than CONCURRENCY, but no more than nine; doctor examines it; the next run goes on',
    );
  if (typeof code === 'string' && (retryable.test(code) || isOfNetwork(nested)))
    return unavailable(`the database can't be used (${code}: ${message})`);
  return /timeout|terminated|not queryable|Connection ended|closed/i.test(message) && code === undefined
    ? unavailable(`the database can't be used (${message})`)
    : null;
}

/** Whether the database can't be used now, and may be later. */
export function isDatabaseOutage(error: unknown): boolean {
  const failure = error instanceof Failure ? error : warehouseFailure(error);
  return failure?.code === 'WAREHOUSE_UNAVAILABLE';
}

function isOfNetwork(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && networkCalls.has(error.syscall);
}

const misconfigured = (detail: string, advice: string) =>
  new Failure('INVALID_CONFIGURATION', detail, { advice });
const unavailable = (detail: string, advice?: string) =>
  new Failure('WAREHOUSE_UNAVAILABLE', detail, { advice });

/** Where a pooler gives one connection alone, the work would wait for the lock's for as long as the pooler lets it. */
export function noneBesideLock(): Failure {
  return unavailable(
    'the run lock got the last connection to the database, and there is none for the work',
    'give the pooler a pool of at least 2 (in PgBouncer, default_pool_size), or wait until others are done; the next run goes on',
  );
}

/** A network or a server that vanished sends nothing, and closes nothing. */
export function fellSilent(ms: number): Failure {
  return unavailable(`the database fell silent (nothing received for ${ms / 1000} s)`);
}

/** Accounts in zones that Node knows and the database doesn't, by an older name than it has. */
export function zonesUnknown(
  accounts: readonly { readonly name: string; readonly timeZone: string; readonly modern: string | null }[],
): Failure {
  const zones = accounts.map(({ name, timeZone, modern }) => {
    const instead = modern === null ? '' : `, use ${modern}`;
    return `account ${name}: ${timeZone}${instead}`;
  });
  return misconfigured(
    `the database doesn't know the time zone of ${formatCountOf(zones.length, 'account')} (${zones.join('; ')})`,
    'correct time_zone in ACCOUNTS_FILE, or TIME_ZONE; or install tzdata-legacy where Postgres runs',
  );
}

/** Somebody has migrated with a newer version already. */
export function schemaTooNew(reason: string): Failure {
  return misconfigured(
    `the schema of the warehouse is newer than this version (${reason})`,
    'upgrade Callsheet',
  );
}

/** Nothing was released then, so there is no way from there but to load the history again. */
export function schemaUnreleased(): Failure {
  return misconfigured(
    'the schema of the warehouse was made by a version before 1.0.0, whose migrations were replaced',
    'give DATABASE_URL an empty database, migrate it, and load the days again with backfill',
  );
}

export function schemaTooOld(pending: readonly string[]): Failure {
  return new Failure(
    'SCHEMA_TOO_OLD',
    `the schema of the warehouse lacks ${formatCountOf(pending.length, 'migration')}, from ${pending[0]}`,
    { advice: `run: ${asTyped('migrate')}` },
  );
}

/** Then another run may begin at any time, so this one ends. */
export function lockLost(how: 'died' | 'fell silent'): Failure {
  return unavailable(`the connection that held the run lock ${how}`);
}

/** A session of Postgres; what it doesn't show of another role's is null. */
export type DatabaseSession = {
  readonly pid: number;
  readonly user: string | null;
  readonly application: string | null;
  readonly since: string | null;
};

/** Somebody else's open transaction: no run can start before it ends. */
export function lockHeldByOther(holder: DatabaseSession): Failure {
  return unavailable(
    `no run can start: ${nameOf(holder)} holds the run lock, and no run is recorded as running`,
    `if that is no run of ours, end it: select pg_terminate_backend(${holder.pid})`,
  );
}

/** What `migrate` logs while it waits for Kysely's lock, which any role may take. */
export function migrationsLockedBy(holder: DatabaseSession): string {
  const holds = `migrate waits: ${nameOf(holder)} holds the lock of migrations`;
  return `${holds}; another migrate ends by itself, anything else with: select pg_terminate_backend(${holder.pid})`;
}

function nameOf({ pid, user, application, since }: DatabaseSession): string {
  const known = [user && `of role ${user}`, application && `(${application})`, since && `since ${since}`];
  return [`process ${pid} of Postgres`, ...known.filter((each) => each)].join(' ');
}

/** Two replicas started for the same scheduled time; the slower one finds it done. */
export function scheduledTimeServed(): Failure {
  return new Failure('RUN_IN_PROGRESS', 'another run has served this scheduled time', {
    advice: 'nothing has to be done',
  });
}
