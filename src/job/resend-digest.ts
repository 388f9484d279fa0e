import type { Day } from '../model/day.ts';
import type { DeliveryOutcome } from '../model/digest.ts';
import { deliveriesOf } from '../warehouse/outbox.ts';
import { deliver } from './deliver-digests.ts';
import type { Parts } from './parts.ts';

/** Sends the frozen messages of a digest: those still open, or with `again` every one, whatever became of it. */
export async function sendDigest(
  parts: Pick<Parts, 'warehouse' | 'config' | 'log' | 'mailer'>,
  name: string,
  day: Day,
  again: boolean,
  signal: AbortSignal,
): Promise<DeliveryOutcome[]> {
  const deliveries = await deliveriesOf(parts.warehouse, name, day);
  const wanted = deliveries.filter(({ state }) => again || state === 'pending' || state === 'failed');
  const mailer = parts.mailer();
  const outcomes: DeliveryOutcome[] = [];
  try {
    for (const delivery of wanted) {
      signal.throwIfAborted();
      const outcome = await deliver(parts, mailer, delivery);
      if (outcome) outcomes.push(outcome);
    }
  } finally {
    mailer.close();
  }
  return outcomes;
}
