import type { Config } from '../../config/config.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { OnDiscarded } from '../../service/http/attempt.ts';
import type { SharedRate } from '../../service/http/rate-limiter.ts';
import type { Service } from '../../service/service.ts';
import type { Clock } from '../../support/clock.ts';
import type { Logger } from '../../support/logger.ts';
import type { Warehouse } from '../../warehouse/db/database.ts';
import type { PlainSql } from '../../warehouse/db/plain-sql.ts';
import type { RunLock } from '../../warehouse/ledger/run-lock.ts';
import type { Ping } from '../alerts/ping.ts';

/** What the job works with, made once by `createContext`. */
export type AppContext = {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly warehouse: Warehouse;
  readonly takeRunLock: () => Promise<RunLock | null>;
  /** The same database, over its own connections; they end with the run lock, too. */
  readonly openPlainSql: (connections: number) => PlainSql;
  /**
   * A client of the service whose requests end when the signal says so; `onDiscarded` gets discarded responses, and
   * `sharedRate` is the rate it shares with other processes.
   */
  readonly connect: (signal: AbortSignal, onDiscarded?: OnDiscarded, sharedRate?: SharedRate) => Service;
  readonly mailer: () => Mailer;
  /** Pauses before each further attempt at a mail, in milliseconds. */
  readonly mailPauses: readonly number[];
  /** Replaces every known secret in a text that leaves the machine. */
  readonly redact: (text: string) => string;
  /** Pings `HEALTHCHECK_URL`. */
  readonly ping: Ping;
};
