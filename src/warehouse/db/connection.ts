import pg from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';
import { Failure } from '../../model/errors.ts';
import { checkBinding, markOfConnection, markRetryable } from '../failures.ts';

/**
 * `postgres://…`, or a function that returns it for each new connection: the file of DATABASE_URL_FILE may be
 * rewritten while the process lives, with the user and host in it, too.
 */
export type DatabaseAddress = string | (() => string);

export const currentUrl = (address: DatabaseAddress): string =>
  typeof address === 'string' ? address : address();

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
export async function connect(address: DatabaseAddress): Promise<pg.Client> {
  const client = new OwnClient(address, { query_timeout: replyTimeoutMs });
  await client.connect();
  return client;
}

/**
 * Creates a pool, which opens connections when they are needed and survives the death of any. The options take precedence
 * over the address.
 */
export function openPool(address: DatabaseAddress, options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({
    ...options,
    // The pool's own timeout would also limit the wait for a free connection.
    connectionTimeoutMillis: 0,
    Client: class extends OwnClient {
      constructor(own: pg.ClientConfig = {}) {
        super(address, own);
      }
    },
    onConnect: (client) => (client as OwnClient).prepare(),
  });
  // The error of a dead connection also fails its query; without a listener it would end the process.
  pool.on('error', () => {});
  return pool;
}

/**
 * A connection to what the address is now. Limits only connecting: with a slow database, a long wait for a free
 * connection is no outage.
 */
class OwnClient extends pg.Client {
  readonly #mayChange: boolean;
  /** Why the address is of no use; null if it is. */
  readonly #unusable: Error | null;

  constructor(address: DatabaseAddress, options: pg.ClientConfig) {
    let own: pg.ClientConfig = {};
    let mustBind = false;
    let unusable: Error | null = null;
    try {
      const url = currentUrl(address);
      own = connectionOptions(url);
      mustBind = channelBindingOf(new URL(url)) === 'require';
    } catch (error) {
      // Thrown in `connect`: the pool expects none here, and the process would end.
      unusable = error as Error;
    }
    super({ ...own, ...options, connectionTimeoutMillis: connectTimeoutMs });
    this.#mayChange = typeof address === 'function';
    this.#unusable = unusable;
    // The error of a dead connection also fails its query; without a listener it would end the process.
    this.on('error', () => {});
    this.connection.on('error', markOfConnection);
    if (mustBind) this.#requireBinding();
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<pg.Client> | undefined {
    const connected = this.#opening(async () => {
      if (this.#unusable !== null) throw this.#unusable;
      try {
        return await super.connect();
      } catch (error) {
        // If pg refuses the server, the server would wait for its reply.
        this.connection.stream.destroy();
        throw error;
      }
    });
    if (callback === undefined) return connected;
    void connected.then(() => callback(null), callback);
    return undefined;
  }

  async prepare(): Promise<void> {
    await this.#opening(() => prepareSession(this));
  }

  /**
   * Whatever a server or a pooler refuses a connection with, it is no error of ours. If the address may change, it is retryable, too:
   * the file may be corrected, or its password rotated, a minute later.
   */
  async #opening<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error !== this.#unusable) markOfConnection(error as Error);
      if (this.#mayChange) markRetryable(error as Error);
      throw error;
    }
  }

  /**
   * pg binds a channel if the server offers it, and can't be made to insist. These listeners come before its own, which
   * send nothing over a destroyed stream: the password goes to nobody in between.
   */
  #requireBinding(): void {
    const { connection } = this;
    let isBound = false;
    const refuse = () => {
      const detail = "the database doesn't support channel binding, which channel_binding=require demands";
      connection.emit('error', new Failure('INVALID_CONFIGURATION', detail, { advice: checkBinding }));
      connection.stream.destroy();
    };
    connection.on('authenticationCleartextPassword', refuse);
    connection.on('authenticationMD5Password', refuse);
    connection.on('authenticationSASL', ({ mechanisms }: { readonly mechanisms: readonly string[] }) => {
      if (!mechanisms.includes('SCRAM-SHA-256-PLUS')) refuse();
    });
    // Without it the server hasn't proved that it knows the password, and this certificate.
    connection.on('authenticationSASLFinal', () => {
      isBound = true;
    });
    connection.on('authenticationOk', () => {
      if (!isBound) refuse();
    });
  }
}

/**
 * Waits for a reply: a pooler accepts clients even if it has no connection or database for them. The settings
 * override the defaults of a database or role. PgBouncer in transaction mode keeps date style and zone for
 * each client; the other settings stay on the server's connection, for whichever client gets it next. So
 * `migrate` also switches JIT off for the role.
 */
async function prepareSession(client: pg.Client): Promise<void> {
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
    set extra_float_digits to 1;
    set jit to off;
    commit`);
}

/**
 * Returns the options of a pool or a single connection. Parameters mean what libpq's manual says: pg itself takes the weaker modes
 * of TLS for verify-full, and will change that. pg fills in empty parts from PGUSER and the like. Throws if a file can't be read.
 */
export function connectionOptions(url: string): pg.ClientConfig {
  const address = new URL(url);
  if (address.searchParams.get('sslrootcert') === 'system') {
    // Not a file: the root certificates of Node.
    address.searchParams.delete('sslrootcert');
    address.searchParams.set('sslmode', 'verify-full');
  }
  return {
    application_name: 'callsheet',
    ssl: false,
    ...toClientConfig(parse(address.href, { useLibpqCompat: true })),
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    // A peer that vanished is noticed within a minute, instead of two hours.
    keepAliveInitialDelayMillis: 30_000,
    types: { getTypeParser },
    enableChannelBinding: channelBindingOf(address) !== 'disable',
  };
}

const channelBindingOf = ({ searchParams }: URL) => searchParams.get('channel_binding') ?? 'disable';

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
