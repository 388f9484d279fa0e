import type { Config } from '../../config/config.ts';
import { fileName } from '../../digest/compose.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { addressed, type Envelope, newMessageId } from '../../mail/message.ts';
import { type DeliveryOutcome, retryableCauses } from '../../model/digest.ts';
import { digestName, periodOf } from '../../model/period.ts';
import { pause } from '../../support/clock.ts';
import { formatCountOf } from '../../support/english.ts';
import {
  claimDelivery,
  type Delivery,
  followRecipients,
  giveUp,
  gotNoReplyToLastTwo,
  markInterrupted,
  openDeliveries,
  recordOutcome,
  recordUnreached,
} from '../../warehouse/outbox/deliveries.ts';
import { readDigestStates } from '../../warehouse/outbox/periods.ts';
import type { AppContext } from '../run/app-context.ts';
import { reportDigestFailure, toItemFailure } from '../run/failures.ts';
import type { Run } from '../run/run.ts';

/** The state that a run's first attempts leave to its last ones. */
export type EarlierDeliveries = {
  readonly tried: ReadonlySet<number>;
  /** Why this run asks the mail server for nothing more; null if it may. */
  readonly ending: DeliveryOutcome | null;
};

/**
 * Tries once what earlier runs couldn't deliver, before new digests are built: what nobody has then becomes part of the
 * next mail.
 */
export async function deliverEarlier(run: Run): Promise<EarlierDeliveries> {
  const { warehouse, config, stats, log } = run;
  const cutOff = await markInterrupted(warehouse);
  stats.deliveries.unknown += cutOff;
  if (cutOff > 0)
    log.error(
      `${formatCountOf(cutOff, 'delivery', 'deliveries')} interrupted while sending, may have arrived: status shows how to resend`,
    );
  const states = await readDigestStates(warehouse, config.digests);
  const waiting = states.flatMap(({ waitingMailId }) => waitingMailId ?? []);
  await followRecipients(warehouse, config.digests, waiting, () => newMessageId(config.mail.from));
  // A run by hand, which is not retried, asks the server again: somebody is there to see what becomes of it.
  if (run.retryUntil !== null && (await gotNoReplyToLastTwo(warehouse, run.runDate)))
    return { tried: new Set(), ending: unanswered };
  const open = (await openDeliveries(warehouse, config.digests)).filter(
    (delivery) => run.number === 1 || isRetryableDelivery(delivery),
  );
  const { attempted, ending } = await deliverEach(run, run.mailer(), open);
  for (const { outcome } of attempted) if (outcome?.state !== 'failed') count(run, outcome);
  const tried = new Set(attempted.map(({ delivery }) => delivery.deliveryId));
  return { tried, ending: ending === null || isTriedAgain(ending) ? null : ending };
}

const unanswered: DeliveryOutcome = {
  state: 'failed',
  reply: 'the mail server left two messages unanswered today',
  cause: 'silent',
};

/** It has no known cause of failure, or a retryable one: repeated refused logins would lock the account. */
const isRetryableDelivery = ({ cause }: Pick<Delivery, 'cause'>) =>
  cause === null || retryableCauses.includes(cause);

/** Another attempt within the run may succeed. A server that hung, or may have a message, isn't asked for another. */
export const isTriedAgain = ({ state, cause }: DeliveryOutcome) =>
  state === 'failed' && (cause === 'busy' || cause === 'unreachable');

/**
 * Delivers the open deliveries of the outbox: each is claimed, sent and marked, in a commit for each step. Retryable ones
 * are attempted again after each pause; the next run continues.
 */
export async function deliverDigests(run: Run, { tried, ending }: EarlierDeliveries): Promise<void> {
  const { warehouse, config, stats } = run;
  const open = await openDeliveries(warehouse, config.digests);
  const untried = open.filter(
    (delivery) => isRetryableDelivery(delivery) || (run.number === 1 && !tried.has(delivery.deliveryId)),
  );
  const settled = new Set<number>();
  let stopped = ending;
  if (stopped !== null) await recordUnreached(warehouse, open, stopped);
  else
    await withPauses(run, run.signal, untried, async (waiting) => {
      const { attempted, ending } = await deliverEach(run, run.mailer(), waiting);
      const again: Delivery[] = [];
      for (const { delivery, outcome } of attempted) {
        if (outcome?.state === 'failed') {
          if (isTriedAgain(outcome)) again.push({ ...delivery, state: 'failed' });
          continue;
        }
        settled.add(delivery.deliveryId);
        count(run, outcome);
      }
      if (ending === null) return again;
      stopped = isTriedAgain(ending) ? null : ending;
      const unreached = waiting.slice(attempted.length);
      return stopped === null ? [...again, ...unreached] : [];
    });
  const left = open.filter(({ deliveryId }) => !settled.has(deliveryId));
  const givenUp = await giveUp(warehouse, maxFailedRunDates);
  stats.deliveries.failed += left.length - givenUp;
  stats.deliveries.refused += givenUp;
  if (givenUp > 0)
    run.log.error(
      `${formatCountOf(givenUp, 'delivery', 'deliveries')} given up after ${maxFailedRunDates} run dates: status shows how to resend`,
    );
  if (stopped === unanswered) return;
  const after = await openDeliveries(warehouse, config.digests);
  stats.mailPutOff = after.filter(isRetryableDelivery).length;
}

/** A delivery that failed on so many run dates isn't retried any more. */
const maxFailedRunDates = 7;

const count = ({ stats }: Run, outcome: DeliveryOutcome | null) => {
  if (outcome !== null) stats.deliveries[outcome.state]++;
};

/** Attempts all items, then after each pause those worth another attempt. */
export async function withPauses<T>(
  { mailPauses }: AppContext,
  signal: AbortSignal,
  items: readonly T[],
  attempt: (waiting: readonly T[]) => Promise<readonly T[]>,
): Promise<void> {
  let waiting = items;
  for (const milliseconds of [0, ...mailPauses]) {
    if (waiting.length === 0) break;
    await pause(milliseconds, signal);
    waiting = await attempt(waiting);
  }
}

/** The outcome of an attempt; null if an error of ours or another process came in between. */
export type Attempted = { readonly delivery: Delivery; readonly outcome: DeliveryOutcome | null };

/** The server hung, or closed the connection: it may do so with every message, and each of them might be unknown. */
const isUnanswered = ({ state, cause }: DeliveryOutcome) =>
  state === 'unknown' || cause === 'silent' || cause === 'unreachable';

/**
 * One round in one session. It ends at a server that can't be used or leaves something unanswered: what is left keeps
 * its state, and gets the reason.
 */
export async function deliverEach(
  run: Run,
  mailer: Mailer,
  deliveries: readonly Delivery[],
): Promise<{ readonly attempted: readonly Attempted[]; readonly ending: DeliveryOutcome | null }> {
  const attempted: Attempted[] = [];
  let ending: DeliveryOutcome | null = null;
  try {
    for (const [index, delivery] of deliveries.entries()) {
      run.onProgress({ unit: 'mail', done: index, total: deliveries.length, failed: 0 });
      ending = await reach(mailer, run.signal);
      if (ending !== null) break;
      const outcome = await tryDeliver(run, mailer, delivery);
      attempted.push({ delivery, outcome });
      if (outcome !== null && isUnanswered(outcome)) {
        ending = outcome;
        break;
      }
    }
  } finally {
    mailer.close();
  }
  const unreached = deliveries.slice(attempted.length);
  if (ending !== null && unreached.length > 0) {
    await recordUnreached(run.warehouse, unreached, ending);
    run.log.error(
      `${formatCountOf(unreached.length, 'delivery', 'deliveries')} postponed: the mail server can't be used (${ending.reply})`,
    );
  }
  return { attempted, ending };
}

/** Before a delivery is claimed: a message that was never sent must not look cut off. */
async function reach(mailer: Mailer, signal: AbortSignal): Promise<DeliveryOutcome | null> {
  signal.throwIfAborted();
  const unreachable = await mailer.reach(signal);
  signal.throwIfAborted();
  return unreachable;
}

/** A written message is only found by its path. */
const levels = {
  sent: 'debug',
  written: 'info',
  failed: 'error',
  refused: 'error',
  unknown: 'error',
} as const;

/** Delivers one message over a connected mailer; returns null if another run has claimed it. */
async function deliver(
  { warehouse, config, log, signal, runDate, clock }: Run,
  mailer: Mailer,
  delivery: Delivery,
): Promise<DeliveryOutcome | null> {
  const mime = await claimDelivery(warehouse, delivery);
  if (mime === null) return null;
  const { recipient, digest, every, day, correction } = delivery;
  const stem = fileName({ name: digest, period: periodOf(every, day) });
  const name = [stem, ...correctionNames(correction)].join('-');
  const complete = addressed(mime, envelopeOf(config, { ...delivery, name: digest }, clock()));
  const outcome = await mailer.send({ from: config.mail.from, recipient, mime: complete, name }, signal);
  await recordOutcome(warehouse, delivery, outcome, runDate);
  const { state, reply } = outcome;
  log[levels[state]](
    { digest, day, state },
    `${digestName({ name: digest, every, day })} to ${recipient}: ${state} (${reply})`,
  );
  return outcome;
}

/** Further corrections of a period have a number. */
const correctionNames = (correction: number): string[] => {
  if (correction === 0) return [];
  return correction === 1 ? ['corrected'] : ['corrected', `${correction}`];
};

/** The headers of a digest's message by the settings of now, and its date. Who reads replies can stop it. */
export function envelopeOf(
  { mail, alerts }: Pick<Config, 'mail' | 'alerts'>,
  { name, recipient, messageId }: { readonly name: string } & Pick<Delivery, 'recipient' | 'messageId'>,
  date: Temporal.Instant,
): Envelope {
  return {
    date,
    from: mail.from,
    replyTo: mail.replyTo ?? alerts.to[0] ?? null,
    to: [recipient],
    messageId,
    list: name,
  };
}

/**
 * Delivers a message among others, which go on after an unexpected error. A message that was claimed by then
 * stays `sending`: nobody knows whether it went out, and the next run marks it unknown.
 */
async function tryDeliver(run: Run, mailer: Mailer, delivery: Delivery): Promise<DeliveryOutcome | null> {
  try {
    return await deliver(run, mailer, delivery);
  } catch (error) {
    const { deliveryId, digest, every, day, recipient } = delivery;
    const subject = `digest ${digestName({ name: digest, every, day })} to ${recipient}`;
    const failure = toItemFailure(error, run, subject);
    reportDigestFailure(run, { digest, day, delivery: deliveryId }, failure);
    return null;
  }
}
