import type { Config } from '../../config/config.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { createFolderMailer } from '../../mail/folder.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { createSmtpMailer } from '../../mail/smtp.ts';
import type { OnProgress } from '../../model/run.ts';
import type { OnDiscarded } from '../../service/http/attempt.ts';
import { createBytesInFlight } from '../../service/http/bytes-in-flight.ts';
import type { SharedRate } from '../../service/http/rate-limiter.ts';
import { createSharedRate } from '../../service/http/shared-rate.ts';
import { requestedDay } from '../../service/operations.ts';
import { createService, type Service } from '../../service/service.ts';
import { type Clock, systemClock } from '../../support/clock.ts';
import type { Logger } from '../../support/logger.ts';
import type { Redactor } from '../../support/redaction.ts';
import { archiveDiscarded } from '../../warehouse/archive/archive.ts';
import type { DatabaseAddress } from '../../warehouse/db/connection.ts';
import { openWarehouse, type Warehouse } from '../../warehouse/db/database.ts';
import { openPlainSql, type PlainSql } from '../../warehouse/db/plain-sql.ts';
import { warehouseFailure } from '../../warehouse/failures.ts';
import { postponeStarts, reserveStarts } from '../../warehouse/ledger/request-starts.ts';
import { type RunLock, takeRunLock } from '../../warehouse/ledger/run-lock.ts';
import { createPing, createPostAlert, type Ping, type PostAlert } from '../alerts/ping.ts';
import type { Signs } from './signs.ts';
import { createTwoClocks } from './two-clocks.ts';
import { nothingUnrecorded, type Unrecorded } from './unrecorded.ts';

/** The parts that the job works with, made once by `createContext`. */
export type AppContext = {
  readonly config: Config;
  readonly log: Logger;
  /** Decides what is due. Responses are ordered by the database's clock. */
  readonly clock: Clock;
  readonly compareClocks: ReturnType<typeof createTwoClocks>['compareClocks'];
  /** Time at which the settings were read, by `performance.now()`. */
  readonly settingsReadAt: number;
  readonly warehouse: Warehouse;
  /** The same warehouse over separate connections. End it with `destroy()`. */
  readonly openWarehouse: (connections: number) => Warehouse;
  readonly takeRunLock: () => Promise<RunLock | null>;
  /** The same database over separate connections. */
  readonly openPlainSql: (connections: number) => PlainSql;
  /**
   * A client of the service for one run: what it remembers, such as a refused token, ends with it. Its requests end when the
   * signal is aborted. It archives discarded responses for the run; for none if the run is null. Processes with a
   * `sharedRate` share that rate.
   */
  readonly connect: (
    signal: AbortSignal,
    runId: number | null,
    options?: {
      readonly sharedRate?: SharedRate;
      /** What people said, and were asked, about the service's answers; by default nothing. */
      readonly signs?: Pick<Signs, 'isAccepted' | 'isAlerted'>;
    },
  ) => Service;
  readonly mailer: () => Mailer;
  /** Replaces every known secret in a text that leaves the machine. */
  readonly redact: Redactor['redact'];
  /** The same in a text of our own, which may have words that are secrets. */
  readonly redactOwn: Redactor['redactOwn'];
  /** Pings `HEALTHCHECK_URL`. */
  readonly ping: Ping;
  /** Posts alerts to `ALERT_WEBHOOK_URL`; null if that isn't set. */
  readonly postAlert: PostAlert | null;
  readonly unrecorded: Unrecorded;
  /** Called as a run, a backfill or a replay progresses. */
  readonly onProgress: OnProgress;
};

/** Wires the app context. Tests choose the clocks. */
export function createContext(
  loaded: LoadedConfig,
  databaseUrl: DatabaseAddress,
  log: Logger,
  clock: Clock = systemClock,
  machineClock: Clock = systemClock,
): AppContext {
  const { config, secrets } = loaded;
  const bytesInFlight = createBytesInFlight();
  // The connections of a run's work, besides that of its lock.
  const warehouse = openWarehouse(databaseUrl, Math.min(config.service.concurrency, 8));
  /** Archives the discarded responses of a run, one by one as they are received. */
  const archiverOf =
    (runId: number): OnDiscarded =>
    async ({ name: account }, response, sign) => {
      try {
        const elapsedMs = performance.now() - response.requestedAt;
        const source = { runId, account, day: requestedDay(response) };
        await archiveDiscarded(warehouse, source, response, elapsedMs, sign);
      } catch (error) {
        // The request continues: if the database is down, the next statement ends the run.
        const line = `a discarded response was not archived: ${(error as Error).message}`;
        log.child({ run: runId }).warn({ account }, line);
      }
    };
  return {
    config,
    log,
    ...createTwoClocks(clock, machineClock),
    settingsReadAt: loaded.readAt,
    warehouse,
    openWarehouse: (connections) => openWarehouse(databaseUrl, connections),
    takeRunLock: () => takeRunLock(databaseUrl),
    openPlainSql: (connections) => openPlainSql(databaseUrl, connections),
    connect: (signal, runId, { sharedRate, signs } = {}) =>
      createService({
        settings: config.service,
        token: secrets.token,
        redactor: secrets.tokenRedactor,
        signal,
        ...(runId !== null && { onDiscarded: archiverOf(runId) }),
        ...(sharedRate && { sharedRate }),
        ...signs,
        bytesInFlight,
      }),
    ping: createPing(secrets.healthcheckUrl(), log),
    postAlert: createPostAlert(secrets.webhookUrl(), log),
    mailer: () => createMailer(loaded),
    redact: secrets.redactor.redact,
    redactOwn: secrets.redactor.redactOwn,
    unrecorded: nothingUnrecorded(),
    onProgress: () => {},
  };
}

/** Creates the mailer that sends over `SMTP_URL`, or without it one that writes to `OUTBOX_DIR`. */
export function createMailer({ config: { mail }, secrets }: LoadedConfig): Mailer {
  const smtpUrl = secrets.smtpUrl();
  if (smtpUrl === null) return createFolderMailer(mail.outboxDirectory);
  return createSmtpMailer(smtpUrl, mail.from, secrets.redactor);
}

/** The app context with a client of the service that shares `RATE_PER_SECOND` with all other processes. */
export function shareRate(app: AppContext): AppContext {
  const { baseUrl, ratePerSecond } = app.config.service;
  if (ratePerSecond === null) return app;
  const sharedRate = createSharedRate(ratePerSecond, {
    async reserve(starts, apartMs) {
      try {
        return await reserveStarts(app.warehouse, baseUrl, starts, apartMs);
      } catch (error) {
        throw warehouseFailure(error) ?? error;
      }
    },
    postpone: (ms) => postponeStarts(app.warehouse, baseUrl, ms),
  });
  return {
    ...app,
    connect: (signal, runId, options) => app.connect(signal, runId, { ...options, sharedRate }),
  };
}
