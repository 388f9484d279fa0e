import { fileName } from '../digest/names.ts';
import { addressed } from '../mail/message.ts';
import type { Mailer } from '../mail/send.ts';
import type { DeliveryOutcome } from '../model/digest.ts';
import {
  claimDelivery,
  type Delivery,
  markInterrupted,
  noteOutcome,
  openDeliveries,
} from '../warehouse/outbox.ts';
import type { Parts } from './parts.ts';
import type { Run } from './run.ts';

/** Delivers what is open in the outbox: each claimed, sent and marked, each step in a commit of its own. */
export async function deliverDigests(run: Run): Promise<void> {
  const interrupted = await markInterrupted(run.warehouse);
  if (interrupted > 0) {
    run.tally.deliveries.unknown += interrupted;
    run.log.error(
      `${interrupted} deliveries were cut off while sending: perhaps sent; repeat with digest --resend`,
    );
  }
  const open = await openDeliveries(run.warehouse);
  if (open.length === 0) return;
  const mailer = run.mailer();
  try {
    for (const delivery of open) {
      run.signal.throwIfAborted();
      const outcome = await deliver(run, mailer, delivery);
      if (outcome) run.tally.deliveries[outcome.state]++;
    }
  } finally {
    mailer.close();
  }
}

/** Delivers one message; null where somebody else has taken it. */
export async function deliver(
  parts: Pick<Parts, 'warehouse' | 'config' | 'log'>,
  mailer: Mailer,
  delivery: Delivery,
): Promise<DeliveryOutcome | null> {
  const mime = await claimDelivery(parts.warehouse, delivery);
  if (mime === null) return null;
  const { recipient, messageId, digest, day } = delivery;
  const outcome = await mailer.send({
    from: parts.config.mail.from,
    recipient,
    mime: addressed(mime, recipient, messageId),
    name: fileName({ name: digest, day }),
  });
  await noteOutcome(parts.warehouse, delivery, outcome);
  const level = outcome.state === 'sent' || outcome.state === 'written' ? 'info' : 'error';
  parts.log[level](
    { digest, day, state: outcome.state },
    `${digest} of ${day} to ${recipient}: ${outcome.state} (${outcome.reply})`,
  );
  return outcome;
}
