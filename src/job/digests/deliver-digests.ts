import { fileName } from '../../digest/compose.ts';
import type { Attempt, Mailer } from '../../mail/mailer.ts';
import { addressed } from '../../mail/message.ts';
import { digestName, periodOf } from '../../model/period.ts';
import { pause } from '../../support/clock.ts';
import { formatCountOf } from '../../support/english.ts';
import {
  claimDelivery,
  type Delivery,
  markInterrupted,
  openDeliveries,
  recordOutcome,
  recordUnreached,
} from '../../warehouse/outbox/deliveries.ts';
import type { AppContext } from '../run/app-context.ts';
import { reportDigestFailure, toItemFailure } from '../run/failures.ts';
import type { Run } from '../run/run.ts';

/**
 * Delivers the open deliveries of the outbox: each is claimed, sent and marked, in a commit for each step.
 * Retryable failures get another attempt after each pause; the next run continues.
 */
export async function deliverDigests(run: Run): Promise<void> {
  const { warehouse, stats, log } = run;
  const cutOff = await markInterrupted(warehouse);
  stats.deliveries.unknown += cutOff;
  if (cutOff > 0)
    log.error(
      `${formatCountOf(cutOff, 'delivery', 'deliveries')} cut off while sending: perhaps sent; status has the command that sends again`,
    );
  const mailer = run.mailer();
  const open = await openDeliveries(warehouse);
  // Repeated refused logins would lock the account: a retry only logs in if there is something new to send.
  if (run.number > 1 && open.every(({ state, putOff }) => state === 'failed' && !putOff)) {
    stats.deliveries.failed += open.length;
    return;
  }
  const left = await inRounds(run, run.signal, open, async (waiting) => {
    const retried = await deliverEach(run, mailer, waiting);
    const mails = open.length - retried.length;
    run.onProgress({ unit: 'mail', done: mails, total: open.length, failed: 0 });
    return retried;
  });
  stats.deliveries.failed += left.length;
  stats.mailPutOff = left.length;
}

/** Attempts all items, then after each pause those worth another attempt; returns the ones left. */
export async function inRounds<T>(
  { mailPauses }: AppContext,
  signal: AbortSignal,
  items: readonly T[],
  attempt: (waiting: readonly T[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  let waiting = items;
  for (const milliseconds of [0, ...mailPauses]) {
    if (waiting.length === 0) break;
    await pause(milliseconds, signal);
    waiting = await attempt(waiting);
  }
  return waiting;
}

/** One round in one session; returns the deliveries worth another attempt. */
async function deliverEach(
  run: Run,
  mailer: Mailer,
  deliveries: readonly Delivery[],
): Promise<readonly Delivery[]> {
  const retried: Delivery[] = [];
  try {
    for (const [index, delivery] of deliveries.entries()) {
      run.onProgress({ unit: 'mail', done: index, total: deliveries.length, failed: 0 });
      const unreachable = await reach(mailer, run.signal);
      if (unreachable !== null) {
        const rest = deliveries.slice(index);
        await recordUnreached(run.warehouse, rest, unreachable);
        run.log.error(
          `${formatCountOf(rest.length, 'delivery', 'deliveries')} put off: the mail server can't be used (${unreachable.reply}); check SMTP_URL`,
        );
        if (unreachable.retryable) for (const each of rest) retried.push(asFailed(each));
        else run.stats.deliveries.failed += rest.length;
        break;
      }
      const attempt = await tryDeliver(run, mailer, delivery);
      if (attempt?.retryable) retried.push(asFailed(delivery));
      else if (attempt) run.stats.deliveries[attempt.state]++;
    }
  } finally {
    mailer.close();
  }
  return retried;
}

const asFailed = (delivery: Delivery): Delivery => ({ ...delivery, state: 'failed' });

/** Before a delivery is claimed: a message that was never sent must not look cut off. */
async function reach(mailer: Mailer, signal: AbortSignal): Promise<Attempt | null> {
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
export async function deliver(
  { warehouse, config, log, signal }: Run,
  mailer: Mailer,
  delivery: Delivery,
): Promise<Attempt | null> {
  const mime = await claimDelivery(warehouse, delivery);
  if (mime === null) return null;
  const { recipient, messageId, digest, every, day, kind } = delivery;
  const stem = fileName({ name: digest, period: periodOf(every, day) });
  const name = kind === 'first' ? stem : `${stem}-${kind}`;
  const attempt = await mailer.send(
    { from: config.mail.from, recipient, mime: addressed(mime, [recipient], messageId), name },
    signal,
  );
  await recordOutcome(warehouse, delivery, attempt);
  const { state, reply } = attempt;
  log[levels[state]](
    { digest, day, state },
    `${digestName({ name: digest, every, day })} to ${recipient}: ${state} (${reply})`,
  );
  return attempt;
}

/**
 * Delivers a message among others, which go on after an unexpected error. A message that was claimed by then
 * stays `sending`: nobody knows whether it went out, and the next run marks it unknown.
 */
async function tryDeliver(run: Run, mailer: Mailer, delivery: Delivery): Promise<Attempt | null> {
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
