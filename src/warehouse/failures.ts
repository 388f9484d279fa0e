import { Failure, isOfDatabase } from '../model/errors.ts';
import { commandLine } from '../support/commands.ts';

type Kind = Pick<Failure, 'code'> & {
  /** Matches `SQLSTATE: message`; pg's own errors have no SQLSTATE. */
  readonly pattern: RegExp;
  readonly words: string;
  readonly advice?: string | ((message: string) => string);
};

const checkAddress =
  'check DATABASE_URL; if it is in DATABASE_URL_FILE, correct the file: each new connection reads it again';

export const checkBinding =
  'check channel_binding in DATABASE_URL: prefer also accepts a server without it; disable also accepts a proxy that ends TLS';

const nameAuthority =
  "name the authority's certificate with sslrootcert=FILE in DATABASE_URL, or in NODE_EXTRA_CA_CERTS";

/** The SQL that lets a role work in the migrated schema. */
export const grantsTo = (role: string): string =>
  `grant usage on schema warehouse, etl to ${role}; grant select, insert, update, delete on all tables in schema warehouse, etl to ${role};`;

/** The columns whose values come from a sequence. */
export const identityColumns: readonly (readonly [table: string, column: string])[] = [
  ['warehouse.accounts', 'account_id'],
  ['etl.runs', 'run_id'],
  ['etl.accepted', 'accepted_id'],
  ['etl.walks', 'walk_id'],
  ['etl.rejects', 'reject_id'],
  ['etl.responses', 'response_id'],
  ['etl.mails', 'mail_id'],
  ['etl.deliveries', 'delivery_id'],
];

/** The SQL that brings all sequences to the rows of their tables; docs/operations.md has it, too. */
export const sequencesToRows = [
  'do $$ declare each record; begin',
  "for each in select *, pg_get_serial_sequence(format('%I.%I', table_schema, table_name), column_name) as sequence",
  "from information_schema.columns where table_schema in ('warehouse', 'etl') and is_identity = 'YES' loop",
  "execute format('select setval(%L, greatest(max(%I), (select last_value from %s))) from %I.%I',",
  'each.sequence, each.column_name, each.sequence, each.table_schema, each.table_name);',
  'end loop; end $$;',
].join(' ');

const sequencesBehind = identityColumns.map(([table, column]): Omit<Kind, 'code'> => {
  const [, name] = table.split('.');
  return {
    pattern: new RegExp(`^23505:.*\\b${name}_pkey\\b`),
    words: `the sequence ${table}_${column}_seq is behind the rows of its table, as logical replication leaves it`,
    advice: `as the owner of the schema, type: ${sequencesToRows} then run again`,
  };
});

/** Timeouts that somebody may set on a role: SQLSTATE, event, setting. */
const timeouts = [
  ['57014', 'a statement took longer than', 'statement_timeout'],
  ['55P03', 'waiting for a lock took longer than', 'lock_timeout'],
  ['25P03', 'a transaction was idle for longer than', 'idle_in_transaction_session_timeout'],
  ['25P04', 'a transaction took longer than', 'transaction_timeout'],
] as const;

/** Database errors that the configuration causes; the first match counts. PgBouncer gives most of its own as 08P01. */
const misconfigurations: readonly Omit<Kind, 'code'>[] = [
  ...sequencesBehind,
  {
    pattern: /^28P01:|password must be a|^08P01: .*(authentication failed|auth failed|no such user)/i,
    words: 'the database rejected the password',
    advice: checkAddress,
  },
  {
    pattern: /channel binding/i,
    words: "the database and channel_binding don't agree",
    advice: checkBinding,
  },
  {
    pattern: /^28000: .*no encryption|^08P01: (SSL|TLS) required/,
    words: 'the database refuses a connection without TLS',
    advice: `add sslmode=verify-full to DATABASE_URL, and ${nameAuthority} if the server's certificate is of an authority of its own`,
  },
  {
    pattern: /^28000: .*client certificate|ALERT_CERTIFICATE_REQUIRED/,
    words: 'the database demands a certificate of the client',
    advice: 'name it and its key with sslcert=FILE and sslkey=FILE in DATABASE_URL',
  },
  {
    pattern: /^28000:/,
    words: 'the database refuses the login',
    advice: `${checkAddress}; if it asks for TLS, add sslmode=verify-full`,
  },
  {
    pattern: /^3D000:|^08P01: (.*database .+ does not exist|no such database)/,
    words: 'the database in DATABASE_URL does not exist',
    advice: createDatabase,
  },
  {
    pattern: /^08P01: unsupported startup parameter/,
    words: 'the pooler in front of the database refuses a parameter',
    advice:
      'take options out of DATABASE_URL, and set them on the role; or in PgBouncer, set ignore_startup_parameters',
  },
  {
    pattern: /^42501:/,
    words: 'the database user lacks a privilege',
    advice: `as the owner of the schema, type, with the user of DATABASE_URL: ${grantsTo('USER')}`,
  },
  {
    pattern: /does not support SSL|SSL connection/,
    words: 'the database offers no TLS, which sslmode in DATABASE_URL demands',
    advice: 'check host and port, or turn TLS on in Postgres; sslmode=disable only if the network is private',
  },
  {
    pattern: /^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID):/,
    words: 'the database has a certificate that is not valid now',
    advice: "check this machine's clock, or have the certificate renewed",
  },
  {
    pattern: /^ERR_TLS_CERT_ALTNAME_INVALID:/,
    words: 'the database has a certificate for other names',
    advice: 'write the host in DATABASE_URL as the certificate names it',
  },
  {
    pattern: /certificate|self.signed/i,
    words: 'the database has a certificate of an authority that is not trusted here',
    advice: `if the authority is yours or your provider's, ${nameAuthority}; otherwise somebody may be intercepting the connection`,
  },
  {
    pattern: /statement pooling mode/,
    words: "the pooler in front of the database runs in statement mode, which Callsheet can't use",
    advice: 'set it to transaction mode (in PgBouncer, pool_mode)',
  },
];

/** The meaning of database errors to an operator; the first match counts. */
const kinds: readonly Kind[] = [
  ...misconfigurations.map((kind): Kind => ({ ...kind, code: 'INVALID_CONFIGURATION' })),
  {
    // pg's message for a query without a reply, and PgBouncer's for a query that gets no connection.
    pattern: /^: Query read timeout$|query_wait_timeout/,
    code: 'WAREHOUSE_UNAVAILABLE',
    words: "the database can't be used: no response",
    advice:
      'check that it runs, and that a pooler in front of it has connections left: a run needs two in transaction mode, and up to nine in session mode; then run again',
  },
  {
    pattern: /^53300:|^08P01: no more connections allowed/,
    code: 'WAREHOUSE_UNAVAILABLE',
    words: 'the database has no connection left',
    advice: allowConnections,
  },
  {
    // Containers have little of it: the disk may have room.
    pattern: /^53100:.*shared memory/,
    code: 'WAREHOUSE_UNAVAILABLE',
    words: 'the database has no shared memory left',
    advice:
      'give the container of Postgres more, for example with docker run --shm-size=256m; then run again',
  },
  {
    // Postgres gives no SQLSTATE of a full disk where it can't let anybody in.
    pattern: /^53100:|could not write init file/,
    code: 'DATABASE_FULL',
    words: 'the disk of the database is full',
  },
  ...timeouts.map(
    ([state, happened, setting]): Kind => ({
      // Somebody's pg_cancel_backend has the SQLSTATE of a timeout.
      pattern: new RegExp(`^${state}:(?!.*user request)`),
      code: 'WAREHOUSE_UNAVAILABLE',
      words: `${happened} ${setting} allows`,
      advice: `if that is set on the role of DATABASE_URL, type, as that role: alter role current_user reset ${setting}; then run again`,
    }),
  ),
  {
    pattern: /^25006:/,
    code: 'DATABASE_READ_ONLY',
    words: 'the database is read-only',
  },
  {
    // Poolers of providers, such as those of Supabase and Neon, refuse with the code of an internal error.
    pattern: /^XX000:/,
    code: 'WAREHOUSE_UNAVAILABLE',
    words: "the database can't be used",
    advice: `${checkAddress}: if a pooler says that, user, host and options as its provider shows them; then run again`,
  },
  {
    // SQLSTATE classes of retryable errors: connection, resources, operator, I/O, conflict, lock, idle timeouts, internal.
    pattern: /^(08|53|57|58|40|55P|XX)|^: .*(timeout|terminated|not queryable|Connection ended|closed)/i,
    code: 'WAREHOUSE_UNAVAILABLE',
    words: "the database can't be used",
  },
];

/** The name in a message: in the quotes of its language, or at the end of PgBouncer's. */
function nameIn(message: string): string | undefined {
  const [, quoted, last] = /["«„](.+?)["»“]|: (\S+)$/.exec(message) ?? [];
  return quoted ?? last;
}

function createDatabase(message: string): string {
  const typed = commandLine('createdb', nameIn(message) ?? 'callsheet');
  return `create it, with -h, -p and -U as in DATABASE_URL: ${typed}; or correct its name in DATABASE_URL`;
}

/** Connections of a run, of `schedule`, and of a command or two next to them. */
const connectionLimit = 15;

function allowConnections(message: string): string {
  const needed = 'a run takes one more than CONCURRENCY, but no more than nine, and schedule three more';
  const [, what] = / for (role|database) "/.exec(message) ?? [];
  const raise =
    what !== undefined
      ? `as a superuser, type: alter ${what} "${nameIn(message)}" connection limit ${connectionLimit}`
      : message.includes('max_client_conn')
        ? 'raise max_client_conn of PgBouncer'
        : 'end sessions of others, or raise max_connections of Postgres, or the limit of the role or database';
  return `${raise}; ${needed}; then run again`;
}

const ownBounds = new WeakMap<Error, string>();

/** From now on the error counts as the end of a bound that Callsheet itself set: no setting of the operator is its cause. */
export function markOwnBound(error: Error, bound: string): void {
  ownBounds.set(error, bound);
}

const ofConnections = new WeakSet<Error>();

/** From now on the error counts as one of a connection to the database: those of files have the same codes. */
export function markOfConnection(error: Error): void {
  ofConnections.add(error);
}

/** Returns a database error as a Failure for the operator; null if the error is ours, or of a file. */
export function warehouseFailure(error: unknown): Failure | null {
  if (!(error instanceof Error)) return null;
  const nested = error instanceof AggregateError ? error.errors[0] : error;
  const { code = '', message, syscall } = nested as NodeJS.ErrnoException;
  const isOfConnection = ofConnections.has(error);
  if (syscall !== undefined && !isOfConnection) return null;
  const cause = code === '' ? message : `${code}: ${message}`;
  const bound = ownBounds.get(error);
  if (bound !== undefined)
    return unavailable(
      `a statement took longer than Callsheet waits: ${bound} (${cause})`,
      'the database is slow or busy: see what else runs there; then try again',
    );
  if (isOfConnection && code === '42501')
    return new Failure('INVALID_CONFIGURATION', `the database user may not connect (${cause})`, {
      advice: `as the owner of the database, type, with the user of DATABASE_URL: grant connect on database "${nameIn(message)}" to USER;`,
      status: code,
    });
  const kind = kinds.find(({ pattern }) => pattern.test(`${code}: ${message}`));
  if (kind !== undefined) {
    const advice = typeof kind.advice === 'function' ? kind.advice(message) : kind.advice;
    const status = code === '' ? null : code;
    return new Failure(kind.code, `${kind.words} (${cause})`, { advice, status });
  }
  return isOfConnection ? unavailable(`the database can't be used (${cause})`) : null;
}

const retryable = new WeakSet<Error>();

/** From now on the error counts as one that may be over later, if it is the database's. */
export function markRetryable(error: Error): void {
  retryable.add(error);
}

/** Returns whether an error means that the database can't be used now, but may be later. */
export function isDatabaseOutage(error: unknown): boolean {
  const failure = error instanceof Failure ? error : warehouseFailure(error);
  if (failure === null) return false;
  return isOfDatabase(failure) || retryable.has(error as Error);
}

const unavailable = (detail: string, advice?: string) =>
  new Failure('WAREHOUSE_UNAVAILABLE', detail, { advice });
