import type { Socket } from 'node:net';
import pg from 'pg';
import { isLoopback } from '../../support/loopback.ts';
import { channelBindingMissing, passwordInTheClear } from '../failures.ts';

/** How long connecting may take, from the first packet until the server accepts the user. */
export const connectTimeoutMs = 10_000;

/**
 * Where a transaction finds what has no schema before its name: functions, aggregates and operators. Without it, those
 * that another role made in `public` could run as ours (CVE-2018-1058).
 */
export const ownSearchPath = 'set local search_path = pg_catalog, pg_temp';

/** pg's own configuration, and what an address may ask for beside it. */
export type ClientOptions = pg.ClientConfig & {
  /** Whether the address itself says that there is no TLS: then the server gets the password as it requests it. */
  readonly plaintext?: boolean;
  /** Whether the server has to prove that nobody relays its TLS. */
  readonly requiresChannelBinding?: boolean;
};

/** What of pg's client its types don't show. */
interface WholeClient extends pg.Client {
  readonly connection: pg.Connection & { readonly stream: Socket & { readonly encrypted?: true } };
  /** Whether queries are sent without waiting for the response to the one before. */
  pipeline: boolean;
  /** `I` outside of a transaction, null before the first response. */
  getTransactionStatus(): 'I' | 'T' | 'E' | null;
  _handleAuthCleartextPassword(message: unknown): void;
  _handleAuthMD5Password(message: unknown): void;
  _handleAuthSASL(message: { readonly mechanisms: readonly string[] }): void;
}
const WholeClient = pg.Client as unknown as new (options?: pg.ClientConfig) => WholeClient;

/** SQLSTATEs of what Postgres ended in favour of another transaction: repeated, it succeeds. */
const conflicts: ReadonlySet<unknown> = new Set(['40001', '40P01']);

const maxAttempts = 5;

/** What begins a transaction by itself, or can't be in one. */
const isApart = /^\s*(begin|start\s+transaction|vacuum|(create|drop|reindex)\b.*\bconcurrently)\b/i;

/**
 * A connection of ours. It bounds connecting by itself, and gives the password to nobody who could read it on the way. A
 * statement outside of a transaction gets one of its own, in the same round trip, since PgBouncer keeps no search path
 * for longer; where Postgres ended it in favour of another, it is repeated.
 */
export class WarehouseClient extends WholeClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions = {}) {
    // The pool makes the password one that no spread copies.
    super({ ...options, password: options.password, connectionTimeoutMillis: connectTimeoutMs });
    this.#options = options;
  }

  override _handleAuthCleartextPassword(message: unknown): void {
    if (this.#mayShowPassword()) super._handleAuthCleartextPassword(message);
  }

  override _handleAuthMD5Password(message: unknown): void {
    if (this.#mayShowPassword()) super._handleAuthMD5Password(message);
  }

  override _handleAuthSASL(message: { readonly mechanisms: readonly string[] }): void {
    const { stream } = this.connection;
    const isBound = stream.encrypted && message.mechanisms.includes('SCRAM-SHA-256-PLUS');
    if (this.#options.requiresChannelBinding && !isBound) stream.destroy(channelBindingMissing());
    else super._handleAuthSASL(message);
  }

  /** Whether nobody between can read it. Ends the connection otherwise. */
  #mayShowPassword(): boolean {
    const { stream } = this.connection;
    const isPrivate = stream.encrypted || this.host.startsWith('/') || isLoopback(stream.remoteAddress ?? '');
    if (this.#options.requiresChannelBinding) stream.destroy(channelBindingMissing());
    else if (!isPrivate && !this.#options.plaintext) stream.destroy(passwordInTheClear());
    return !stream.destroyed;
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg has a dozen signatures, and each is handed on unchanged
  override query(...given: any[]): any {
    const send = () => Reflect.apply(super.query, this, given);
    const isAlone = this.getTransactionStatus() === 'I' && !isApart.test(String(given[0].text ?? given[0]));
    return isAlone ? repeated(() => this.#inTransaction(send)) : send();
  }

  async #inTransaction(send: () => Promise<unknown>): Promise<unknown> {
    this.pipeline = true;
    const [begun, sent, ended] = await Promise.allSettled([
      super.query(`begin isolation level read committed; ${ownSearchPath}`),
      send(),
      super.query('commit'),
    ]);
    this.pipeline = false;
    if (begun.status === 'rejected') throw begun.reason;
    if (sent.status === 'rejected') throw sent.reason;
    if (ended.status === 'rejected') throw ended.reason;
    return sent.value;
  }
}

async function repeated(send: () => Promise<unknown>): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      const isConflict = conflicts.has((error as { code?: unknown }).code);
      if (!isConflict || attempt === maxAttempts) throw error;
    }
  }
}
