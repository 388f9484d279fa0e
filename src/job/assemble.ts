import type { LoadedConfig } from '../config/load.ts';
import { createFolderMailer } from '../mail/folder.ts';
import { createSmtpMailer } from '../mail/smtp.ts';
import { createService } from '../service/client.ts';
import { type Clock, systemClock } from '../support/clock.ts';
import type { Logger } from '../support/logger.ts';
import { openWarehouse } from '../warehouse/open.ts';
import { takeRunLock } from '../warehouse/run-lock.ts';
import type { Parts } from './parts.ts';

/** Servers that don't know us yet ask us to come again in a few minutes (greylisting); a night has that time. */
const standardMailPauses = [15_000, 60_000, 300_000];

/** Wires the settings to the parts. `clock` and `mailPauses` are others only where time is to be chosen. */
export function assemble(
  { config, secrets }: LoadedConfig,
  databaseUrl: string,
  log: Logger,
  clock: Clock = systemClock,
  mailPauses: readonly number[] = standardMailPauses,
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
    mailPauses,
    redact: (text) => secrets.redactor.redact(text),
  };
}
