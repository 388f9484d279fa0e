import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { databaseHost, sslModeOf } from '../../support/database-url.ts';
import type { Sockets } from './sockets.ts';

/** How long connecting may take, from the first packet until the server accepts the user. */
const connectTimeoutMs = 10_000;

/**
 * How long a query may wait that returns at once where all is well. PgBouncer takes 15 s until it retries a database
 * that it failed to reach.
 */
export const replyTimeoutMs = 20_000;

/**
 * Where functions, aggregates and operators are found, because our statements name no schema for them: one that another
 * role made in `public` could run as ours (CVE-2018-1058).
 */
export const ownSearchPath = 'pg_catalog, pg_temp';

/**
 * A single connection for such queries: each returns within `limitMs`, or fails. End it with `end()`, which
 * doesn't wait for one that is still open.
 */
export async function connect(url: string, limitMs = replyTimeoutMs): Promise<pg.Client> {
  const client = new pg.Client({ ...connectionOptions(url), query_timeout: limitMs });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/**
 * Connections that are made when they are needed.
 *
 * @param url         `postgres://…`
 * @param connections the most that are open at once
 * @param sockets     what they are made of
 */
export function createPool(url: string, connections: number, sockets: Sockets): pg.Pool {
  return openPool({
    ...connectionOptions(url),
    max: connections,
    stream: sockets.open,
  });
}

/** A pool that outlives its connections. */
export function openPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({
    ...options,
    // The pool's own bound would hold for waiting for one of its connections, too.
    connectionTimeoutMillis: 0,
    Client: BoundedClient,
    onConnect: prepareSession,
  });
  // A connection that dies also fails the query that used it; without a listener it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Only connecting is bounded: with a slow database a query may wait for a connection for long, and that is no outage. */
class BoundedClient extends pg.Client {
  constructor(options: pg.ClientConfig = {}) {
    // The pool makes the password one that no spread copies.
    super({ ...options, password: options.password, connectionTimeoutMillis: connectTimeoutMs });
  }
}

/**
 * A pooler accepts clients for whom it has no connection or no database: a reply shows that there is one. The settings
 * hold whatever a database or a role has as its default. PgBouncer in transaction mode keeps date style and zone for
 * each of its clients, and the others for whoever gets the same connection of the server next.
 */
async function prepareSession(client: pg.ClientBase): Promise<void> {
  const send = async (text: string) => {
    const query = { text, query_timeout: replyTimeoutMs };
    await client.query(query);
  };
  // Alone: a pooler in statement mode refuses it and hangs up, and what was sent behind it would hide why.
  await send('begin');
  await send(`
    set datestyle to 'ISO, YMD';
    set timezone to 'UTC';
    set search_path to ${ownSearchPath};
    set default_transaction_isolation to 'read committed';
    commit`);
}

/** How to reach the database, for a pool or a single connection. pg fills in what is empty, from PGUSER and the like. */
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
    types: { getTypeParser },
    ssl: sslOptions(address),
    enableChannelBinding: parameters.get('channel_binding') === 'prefer',
  };
}

/**
 * `sslmode` made explicit, as libpq's manual defines it: pg reads the weaker modes as verify-full today and will read
 * them differently. `require` with a root certificate verifies it, and the root certificates of `system` are Node's own.
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

// int8 holds counts and ids, which the job only lets in as safe integers.
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
