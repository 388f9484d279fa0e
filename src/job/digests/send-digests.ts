import type { Day } from '../../model/day.ts';
import type { DeliveryOutcome, DigestDefinition } from '../../model/digest.ts';
import { usageFailure } from '../../model/errors.ts';
import { type Delivery, deliveriesOf } from '../../warehouse/outbox/deliveries.ts';
import { isSkipped, unskipDigest } from '../../warehouse/outbox/digests.ts';
import type { AppContext } from '../run/app-context.ts';
import { asOnlyRun, type Run, type RunReport, type RunRequest } from '../run/run.ts';
import { plainOccasion } from './compose-digest.ts';
import { deliver } from './deliver-digests.ts';
import { buildDigest } from './make-digests.ts';

export type SendRequest = RunRequest & {
  readonly digests: readonly DigestDefinition[];
  readonly day: Day;
  /** One recipient; null for all. */
  readonly to: string | null;
  /** Whether to repeat what was sent, refused, skipped or left unknown. */
  readonly again: boolean;
};

export type SentTo = {
  readonly digest: string;
  readonly recipient: string;
  readonly outcome: DeliveryOutcome;
};

/**
 * Builds the digests of a day where that wasn't done, and sends the frozen messages: those still open, or `again`.
 * It holds the run lock: another run would mark what is being sent as cut off.
 */
export async function sendDigests(
  app: AppContext,
  request: SendRequest,
  signal: AbortSignal,
  onSent: (sent: SentTo) => void,
): Promise<RunReport> {
  return await asOnlyRun(app, { ...request, kind: 'digest' }, signal, async (run) => {
    const wanted: Delivery[] = [];
    for (const digest of request.digests) {
      await prepare(run, digest, request);
      const deliveries = await deliveriesOf(run.warehouse, digest.name, request.day);
      for (const each of deliveries) if (isWanted(each, request)) wanted.push(each);
    }
    await sendEach(run, wanted, onSent);
  });
}

async function prepare(run: Run, digest: DigestDefinition, { day, again }: SendRequest): Promise<void> {
  const { name } = digest;
  if (again) await unskipDigest(run.warehouse, name, day);
  else if (await isSkipped(run.warehouse, name, day))
    throw usageFailure(`${name} of ${day} was skipped: --resend builds and sends it all the same`);
  if (await buildDigest(run, digest, day, plainOccasion)) run.stats.digests.built++;
}

function isWanted({ recipient, state }: Delivery, { to, again }: SendRequest): boolean {
  return (to === null || recipient === to) && (again || state === 'pending' || state === 'failed');
}

/** One after the other; a mail server that can't be reached ends it, and is reported once. */
async function sendEach(
  run: Run,
  deliveries: readonly Delivery[],
  onSent: (sent: SentTo) => void,
): Promise<void> {
  const mailer = run.mailer();
  try {
    for (const delivery of deliveries) {
      run.signal.throwIfAborted();
      const unreachable = await mailer.reach(run.signal);
      const outcome = unreachable ?? (await deliver(run, mailer, delivery));
      if (outcome === null) continue;
      run.stats.deliveries[outcome.state]++;
      onSent({
        digest: delivery.digest,
        recipient: delivery.recipient,
        outcome,
      });
      if (unreachable) return;
    }
  } finally {
    mailer.close();
  }
}
