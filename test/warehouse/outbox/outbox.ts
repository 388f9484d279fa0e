import { newMessageId } from '../../../src/mail/message.ts';
import type { DigestKey } from '../../../src/model/period.ts';
import type { Warehouse } from '../../../src/warehouse/db/database.ts';
import { type BuiltMail, freezeMail, type MailedFigures } from '../../../src/warehouse/outbox/mails.ts';
import { readDigestStates } from '../../../src/warehouse/outbox/periods.ts';

/** Figures that a mail has of an account, by its key. */
export function mailedFigures(accountId: number | null, part: Partial<MailedFigures> = {}): MailedFigures {
  return {
    day: '2026-11-18',
    account: `account ${accountId}`,
    label: `account ${accountId}`,
    accountId,
    state: 'whole',
    content: 'a',
    lackingDays: [],
    isQuiet: false,
    wasQuiet: false,
    attempts: 100n,
    busies: 10n,
    connects: 60n,
    liveAnswers: null,
    connectRate: { part: 60n, attempts: 100n },
    ...part,
  };
}

/** Freezes the next mail of a digest with a delivery to each recipient. */
export async function freeze(
  warehouse: Warehouse,
  key: DigestKey,
  recipients: readonly string[],
  part: Partial<BuiltMail> = {},
): Promise<boolean> {
  const [state] = await readDigestStates(warehouse, [key]);
  const mail: BuiltMail = {
    ...key,
    number: state!.number + 1,
    isCorrection: false,
    subject: key.name,
    mime: `mime of ${key.name}`,
    runId: null,
    builtAt: new Date().toISOString(),
    mailed: [],
    recipients,
    ...part,
  };
  return await freezeMail(warehouse, mail, () => newMessageId('callsheet@example.com'));
}
