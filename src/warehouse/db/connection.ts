import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { databaseHost, sslModeOf } from '../../support/database-url.ts';

/** Timeout of connecting, from the first packet until the server accepts the user. */
const connectTimeoutMs = 10_000;

/**
 * Timeout of a query that normally returns at once. PgBouncer takes 15 s until it retries a database that it
 * failed to reach.
 */
const replyTimeoutMs = 20_000;

/** Longer than any statement: `inTransaction` lets the server end one after five minutes. */
export const queryTimeoutMs = 330_000;

/**
 * The search path for functions, aggregates and operators. Our statements name no schema for them, so one
 * that another role created in `public` could run instead (CVE-2018-1058).
 */
export const ownSearchPath = 'pg_catalog, pg_temp';

/**
 * Opens a single connection. Each query returns within `replyTimeoutMs` or fails. End it with `end()`, which doesn't
 * wait for an open query.
 */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ ...connectionOptions(url), query_timeout: replyTimeoutMs });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/**
 * Creates a pool, which opens connections when they are needed.
 *
 * @param url         `postgres://…`
 * @param connections maximum that are open at once
 * @param timeoutMs   maximum time of a query; 0 for none
 */
export function createPool(url: string, connections: number, timeoutMs: number): pg.Pool {
  return openPool({
    ...connectionOptions(url),
    max: connections,
    query_timeout: timeoutMs,
  });
}

/** Opens a pool that survives the death of its connections. */
export function openPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({
    ...options,
    // The pool's own timeout would also limit the wait for a free connection.
    connectionTimeoutMillis: 0,
    Client: BoundedClient,
    onConnect: prepareSession,
  });
  // The error of a dead connection also fails its query; without a listener it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Limits only connecting: with a slow database, a long wait for a free connection is no outage. */
class BoundedClient extends pg.Client {
  constructor(options: pg.ClientConfig = {}) {
    // The pool makes the password non-enumerable, so the spread doesn't copy it.
    super({ ...options, password: options.password, connectionTimeoutMillis: connectTimeoutMs });
  }
}

/**
 * Waits for a reply: a pooler accepts clients even if it has no connection or database for them. The settings
 * override the defaults of a database or role. PgBouncer in transaction mode keeps date style and zone for
 * each client; the other settings stay on the server's connection, for whichever client gets it next. So
 * `migrate` also switches JIT off for the role.
 */
async function prepareSession(client: pg.ClientBase): Promise<void> {
  const send = async (text: string) => {
    const query = { text, query_timeout: replyTimeoutMs };
    await client.query(query);
  };
  // Sent alone: a pooler in statement mode refuses it and hangs up, and further statements would hide why.
  await send('begin');
  await send(`
    set datestyle to 'ISO, YMD';
    set timezone to 'UTC';
    set search_path to ${ownSearchPath};
    set default_transaction_isolation to 'read committed';
    set jit to off;
    commit`);
}

/** Returns the options of a pool or a single connection. pg fills in empty ones from PGUSER and the like. */
export function connectionOptions(url: string): pg.ClientConfig {
  const address = new URL(url);
  const parameters = address.searchParams;
  return {
    host: databaseHost(address),
    port: Number(address.port),
    user: decodeURIComponent(address.username),
    password: decodeURIComponent(address.password),
    database: decodeURIComponent(address.pathname.slice(1)),
    options: parameters.get('options') ?? '',
    application_name: parameters.get('application_name') ?? 'callsheet',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    // A peer that vanished is noticed within a minute, instead of two hours.
    keepAliveInitialDelayMillis: 30_000,
    types: { getTypeParser },
    ssl: sslOptions(address),
    enableChannelBinding: parameters.get('channel_binding') === 'prefer',
  };
}

/**
 * Translates `sslmode` as libpq's manual defines it: pg treats the weaker modes as verify-full today and will
 * change that. `require` with a root certificate verifies it; `system` means Node's own root certificates.
 */
function sslOptions(address: URL): ConnectionOptions | false {
  const mode = sslModeOf(address);
  if (mode === null || mode === 'disable') return false;
  const file = (name: string) => {
    const path = address.searchParams.get(name);
    return path === null || path === 'system' ? undefined : readFileSync(path, 'utf8');
  };
  const options = {
    ca: file('sslrootcert'),
    cert: file('sslcert'),
    key: file('sslkey'),
  };
  if (mode === 'verify-full' || address.searchParams.get('sslrootcert') === 'system') return options;
  if (mode === 'verify-ca' || options.ca !== undefined)
    return { ...options, checkServerIdentity: () => undefined };
  return { ...options, rejectUnauthorized: false };
}

const { builtins } = pg.types;
const asText = (value: string) => value;

// int8 holds counts and ids: the job only accepts safe integers.
function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} is beyond 2^53`);
  return number;
}

const parsers = new Map<number, (value: string) => unknown>([
  [builtins.INT8, wholeNumber],
  [builtins.NUMERIC, asText],
  [builtins.DATE, asText],
  [builtins.TIMESTAMPTZ, asText],
]);

const getTypeParser = ((oid: number, format: 'text' | 'binary') =>
  (format === 'text' && parsers.get(oid)) ||
  pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser;
