import type { Config } from '../../config/config.ts';
import { fileName } from '../../digest/compose.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { addressed, type Envelope, newMessageId } from '../../mail/message.ts';
import { type DeliveryOutcome, isRetryable } from '../../model/digest.ts';
import { digestName, periodOf } from '../../model/period.ts';
import { formatCountOf } from '../../support/english.ts';
import {
  claimDelivery,
  type Delivery,
  followRecipients,
  giveUp,
  mailboxOf,
  markInterrupted,
  openDeliveries,
  recordOutcome,
  recordUnattempted,
} from '../../warehouse/outbox/deliveries.ts';
import { readDigestStates } from '../../warehouse/outbox/periods.ts';
import { reportFailures, toItemFailure } from '../run/failures.ts';
import type { Run } from '../run/run.ts';

/** What a run knows of the mail server. */
export type Attempts = {
  /** The last outcome of each delivery; null if an error of ours or another process came in between. */
  readonly outcomes: Map<number, DeliveryOutcome | null>;
  /** The replies that refused a recipient for good, by mailbox: the run doesn't ask again. */
  readonly refused: Map<string, DeliveryOutcome>;
  /** Why the run asks the server for nothing more: it can't be used, or left a message unanswered; null if it may. */
  ending: { readonly outcome: DeliveryOutcome; readonly isUnusable: boolean } | null;
};

/**
 * Tries mails that nobody got before new digests are built: what nobody has then becomes part of the next mail. Mails that
 * somebody got come after the new ones, which wait for none of them.
 */
export async function deliverEarlier(run: Run): Promise<Attempts> {
  const { warehouse, config, stats, log } = run;
  const cutOff = await markInterrupted(warehouse);
  stats.deliveries.unknown += cutOff;
  if (cutOff > 0)
    log.error(
      `${formatCountOf(cutOff, 'delivery', 'deliveries')} interrupted while sending, may have arrived: status shows how to resend`,
    );
  const states = await readDigestStates(warehouse, config.digests);
  const waiting = states.flatMap(({ waitingMailId }) => waitingMailId ?? []);
  const dropped = await followRecipients(warehouse, config.digests, waiting, () =>
    newMessageId(config.mail.from),
  );
  for (const { digest, recipient } of dropped)
    log.warn({ digest }, `delivery dropped: ${recipient} is no longer a recipient of ${digest}`);
  const open = await dueDeliveries(run);
  return await deliverEach(
    run,
    open.filter(({ mailId }) => waiting.includes(mailId)),
  );
}

/** What the run attempts: a retry only what may pass within minutes. Repeated refused logins would lock the account. */
async function dueDeliveries({ warehouse, config, number }: Run): Promise<Delivery[]> {
  const open = await openDeliveries(warehouse, config.digests);
  return open.filter((delivery) => number === 1 || isRetryable(delivery));
}

/** Delivers what is open, and gives up what failed too often; the next run continues. */
export async function deliverDigests(run: Run, attempts: Attempts): Promise<void> {
  const { warehouse, config, stats } = run;
  const due = await dueDeliveries(run);
  const { ending } = await deliverEach(
    run,
    due.filter(({ deliveryId }) => !attempts.outcomes.has(deliveryId)),
    attempts,
  );
  const givenUp = await giveUp(warehouse, maxFailedRunDates);
  if (givenUp > 0)
    run.log.error(
      `${formatCountOf(givenUp, 'delivery', 'deliveries')} given up after ${maxFailedRunDates} run dates: status shows how to resend`,
    );
  const open = await openDeliveries(warehouse, config.digests);
  stats.deliveries.failed += open.length;
  stats.deliveries.given_up += givenUp;
  // Each run may cost a message of unknown arrival: the next scheduled run goes on, not another retry.
  if (ending?.outcome.state === 'unknown' && run.number > 1) return;
  stats.mailPutOff = open.filter(isRetryable).length;
}

/** A delivery that failed on so many run dates isn't retried any more. */
const maxFailedRunDates = 7;

/**
 * Delivers in a session for each round, each delivery claimed, sent and marked, in a commit for each step. Those with a temporary reply are
 * attempted again, as long as that helps: a server may limit the messages of a session.
 */
export async function deliverEach(
  run: Run,
  deliveries: readonly Delivery[],
  attempts: Attempts = { outcomes: new Map(), refused: new Map(), ending: null },
): Promise<Attempts> {
  const mailer = run.mailer();
  try {
    let waiting = deliveries;
    for (let round = 1; waiting.length > 0; round++) {
      const again = await deliverRound(run, mailer, waiting, attempts);
      if (attempts.ending !== null || (round > 1 && again.length === waiting.length)) break;
      // The limit may be one of the session.
      mailer.close();
      // A server that takes no second session so soon took the first: what it said there stands.
      if (again.length > 0 && (await mailer.reach(run.signal)) !== null) break;
      waiting = again;
    }
  } finally {
    mailer.close();
  }
  return attempts;
}

/** Returns those that are worth another attempt. */
async function deliverRound(
  run: Run,
  mailer: Mailer,
  deliveries: readonly Delivery[],
  attempts: Attempts,
): Promise<Delivery[]> {
  const { warehouse, runDate } = run;
  const again: Delivery[] = [];
  for (const [index, delivery] of deliveries.entries()) {
    run.onProgress({ unit: 'mail', done: index, total: deliveries.length, failed: 0 });
    const { deliveryId, recipient } = delivery;
    const refusal = attempts.refused.get(mailboxOf(recipient));
    if (refusal !== undefined) {
      await recordUnattempted(warehouse, [delivery], refusal, runDate);
      attempts.outcomes.set(deliveryId, refusal);
      continue;
    }
    attempts.ending ??= await reach(mailer, run.signal);
    if (attempts.ending !== null) {
      const { outcome, isUnusable } = attempts.ending;
      const left = deliveries.slice(index);
      // They failed where the server can't be used. If it left another message unanswered, they keep their state.
      const failedOn = isUnusable ? runDate : null;
      await recordUnattempted(warehouse, left, { ...outcome, state: 'failed' }, failedOn);
      run.log.error(
        `${formatCountOf(left.length, 'delivery', 'deliveries')} postponed: the mail server can't be used (${outcome.reply})`,
      );
      return [];
    }
    const outcome = await tryDeliver(run, mailer, delivery);
    attempts.outcomes.set(deliveryId, outcome);
    if (outcome === null) continue;
    const { state, step, code } = outcome;
    if (state !== 'failed') run.stats.deliveries[state]++;
    if (state === 'unknown' || (step === 'connection' && code === null))
      attempts.ending = { outcome, isUnusable: false };
    else if (state === 'failed' && isRetryable(outcome)) again.push({ ...delivery, state });
    else if (step === 'recipient') attempts.refused.set(mailboxOf(recipient), outcome);
  }
  return again;
}

/** Before a delivery is claimed: a message that was never sent must not look cut off. */
async function reach(mailer: Mailer, signal: AbortSignal): Promise<Attempts['ending']> {
  signal.throwIfAborted();
  const outcome = await mailer.reach(signal);
  signal.throwIfAborted();
  return outcome === null ? null : { outcome, isUnusable: true };
}

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

/** A written message is only found by its path. */
const levels = {
  sent: 'debug',
  written: 'info',
  failed: 'error',
  unknown: 'error',
} as const;

/**
 * Delivers a message over a connected mailer, among others, which go on after an unexpected error; returns null after one, or if another
 * run has claimed it. A message that was claimed by then stays `sending`: nobody knows whether it went out, and the next run marks
 * it unknown.
 */
async function tryDeliver(run: Run, mailer: Mailer, delivery: Delivery): Promise<DeliveryOutcome | null> {
  const { warehouse, config, log, signal, runDate, clock } = run;
  const { deliveryId, recipient, digest, every, day, correction } = delivery;
  const key = { name: digest, every, day };
  try {
    const mime = await claimDelivery(warehouse, delivery);
    if (mime === null) return null;
    // Further corrections of a period have a number.
    const corrected = correction === 0 ? [] : ['corrected', ...(correction === 1 ? [] : [`${correction}`])];
    const name = [fileName({ name: digest, period: periodOf(every, day) }), ...corrected].join('-');
    const complete = addressed(mime, envelopeOf(config, { ...delivery, name: digest }, clock()));
    const outcome = await mailer.send({ from: config.mail.from, recipient, mime: complete, name }, signal);
    await recordOutcome(warehouse, delivery, outcome, runDate);
    const { state, reply } = outcome;
    log[levels[state]]({ digest, day, state }, `${digestName(key)} to ${recipient}: ${state} (${reply})`);
    return outcome;
  } catch (error) {
    const failure = toItemFailure(error, run, `digest ${digestName(key)} to ${recipient}`);
    const account = `digest ${digest}`;
    reportFailures(run, failure, [{ step: 'mail', account, day, digest, delivery: deliveryId }]);
    return null;
  }
}
