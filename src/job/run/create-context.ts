import type { LoadedConfig } from '../../config/load.ts';
import { createFolderMailer } from '../../mail/folder.ts';
import { createSmtpMailer } from '../../mail/smtp.ts';
import { createService } from '../../service/client.ts';
import { type Clock, systemClock } from '../../support/clock.ts';
import type { Logger } from '../../support/logger.ts';
import { openWarehouse } from '../../warehouse/db/database.ts';
import { openPlainSql } from '../../warehouse/db/plain-sql.ts';
import { createSockets } from '../../warehouse/db/sockets.ts';
import { bindToLock, takeRunLock } from '../../warehouse/ledger/run-lock.ts';
import { createPing } from '../alerts/ping.ts';
import type { AppContext } from './app-context.ts';

/** A minute in all: enough for a mail server to restart. */
const defaultMailPauses = [5_000, 15_000, 40_000];

/** Wires the app context. Tests choose `clock` and `mailPauses`. */
export function createContext(
  { config, secrets }: LoadedConfig,
  databaseUrl: string,
  log: Logger,
  clock: Clock = systemClock,
  mailPauses: readonly number[] = defaultMailPauses,
): AppContext {
  const sockets = createSockets();
  const warehouse = openWarehouse(databaseUrl, Math.min(config.service.concurrency, 8), sockets);
  return {
    config,
    log,
    clock,
    warehouse,
    async takeRunLock() {
      const lock = await takeRunLock(databaseUrl);
      if (lock !== null) await bindToLock(lock, warehouse, sockets);
      return lock;
    },
    openPlainSql: (connections) => openPlainSql(databaseUrl, connections, sockets),
    connect: (signal, onDiscarded, sharedRate) =>
      createService({
        settings: config.service,
        token: secrets.token,
        redactor: secrets.tokenRedactor,
        signal,
        ...(onDiscarded && { onDiscarded }),
        ...(sharedRate && { sharedRate }),
      }),
    ping: createPing(secrets.healthcheckUrl(), log),
    mailer() {
      const smtpUrl = secrets.smtpUrl();
      return smtpUrl === null ? createFolderMailer(config.mail.outboxDirectory) : createSmtpMailer(smtpUrl);
    },
    mailPauses,
    redact: (text) => secrets.redactor.redact(text),
  };
}
