import type { LoadedConfig } from '../config/load.ts';
import { createFolderMailer } from '../mail/folder.ts';
import { createSmtpMailer } from '../mail/smtp.ts';
import { createService } from '../service/client.ts';
import { type Clock, systemClock } from '../support/clock.ts';
import type { Logger } from '../support/logger.ts';
import { openWarehouse } from '../warehouse/open.ts';
import { takeRunLock } from '../warehouse/run-lock.ts';
import type { Parts } from './parts.ts';

/** Wires the settings to the parts. `clock` is another one only where time is to be chosen. */
export function assemble(
  { config, secrets }: LoadedConfig,
  databaseUrl: string,
  log: Logger,
  clock: Clock = systemClock,
): Parts {
  return {
    config,
    log,
    clock,
    warehouse: openWarehouse(databaseUrl, Math.min(config.service.concurrency, 8)),
    takeRunLock: () => takeRunLock(databaseUrl),
    connect: (signal, onDiscarded) =>
      createService({
        settings: config.service,
        token: secrets.token,
        redactor: secrets.tokenRedactor,
        signal,
        ...(onDiscarded && { onDiscarded }),
      }),
    mailer() {
      const smtpUrl = secrets.smtpUrl();
      return smtpUrl === null ? createFolderMailer(config.mail.outboxDirectory) : createSmtpMailer(smtpUrl);
    },
  };
}
