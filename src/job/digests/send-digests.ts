import { newMessageId } from '../../mail/message.ts';
import type { Day } from '../../model/day.ts';
import type { DeliveryOutcome, DigestDefinition, DigestState, PeriodState } from '../../model/digest.ts';
import { Failure, usageFailure } from '../../model/errors.ts';
import { type DigestKey, digestName, periodOf } from '../../model/period.ts';
import { formatDays } from '../../support/english.ts';
import {
  addRecipients,
  type Delivery,
  deliveriesOf,
  mailboxOf,
  openStates,
} from '../../warehouse/outbox/deliveries.ts';
import { readPeriodStates, unskipPeriod } from '../../warehouse/outbox/mails.ts';
import { readDigestStates } from '../../warehouse/outbox/periods.ts';
import type { AppContext } from '../run/app-context.ts';
import { type Run, type RunReport, type RunRequest, withRunLock } from '../run/run.ts';
import { deliverEach } from './deliver-digests.ts';
import { type DigestPeriod, shownPeriod } from './due.ts';
import { buildDigest } from './make-digests.ts';
import { recordDigestStarts, requestedPeriod } from './read-due.ts';

export type SendRequest = RunRequest & {
  readonly digests: readonly DigestDefinition[];
  readonly day: Day;
  /** One recipient; null for all. */
  readonly to: string | null;
  /** Sends again what was sent, given up or left unknown; also sends what was skipped or isn't loaded. */
  readonly again: boolean;
};

type RequestedDigest = {
  readonly digest: DigestDefinition;
  readonly key: DigestKey;
  readonly state: PeriodState | null;
  /** Its message was built and has been deleted since. */
  readonly isDeleted: boolean;
  readonly period: DigestPeriod;
};

/**
 * Builds the missing digests of a day, its week or its month. Sends their open messages; with `again`, all. If
 * one can't be sent, throws a Failure and builds none. Holds the run lock: another run would mark messages in
 * flight as cut off.
 */
export async function sendDigests(
  app: AppContext,
  request: SendRequest,
  signal: AbortSignal,
  onSent: (digest: DigestKey, recipient: string, outcome: DeliveryOutcome) => void,
): Promise<RunReport> {
  return await withRunLock(app, { ...request, kind: 'digest' }, signal, async (run) => {
    const requested: RequestedDigest[] = [];
    for (const digest of request.digests) requested.push(await readRequested(run, digest, request.day));
    const own = ofRecipient(requested, request.to);
    for (const each of own) requireSendable(each, request);
    await recordDigestStarts(run);
    const wanted: Delivery[] = [];
    for (const each of own)
      for (const delivery of await deliveriesWanted(run, each, request)) wanted.push(delivery);
    const { outcomes, ending } = await deliverEach(run, wanted);
    // The first of those that weren't attempted is reported, too.
    const firstUnasked = wanted.find(({ deliveryId }) => !outcomes.has(deliveryId));
    for (const delivery of wanted) {
      const { deliveryId, recipient } = delivery;
      const outcome =
        delivery === firstUnasked
          ? { ...ending!.outcome, state: 'failed' as const }
          : (outcomes.get(deliveryId) ?? null);
      if (outcome === null) continue;
      if (outcome.state === 'failed') run.stats.deliveries.failed++;
      onSent({ ...delivery, name: delivery.digest }, recipient, outcome);
    }
  });
}

async function readRequested(run: Run, digest: DigestDefinition, day: Day): Promise<RequestedDigest> {
  const { warehouse } = run;
  const { name, every } = digest;
  const period = await requestedPeriod(warehouse, digest, periodOf(every, day));
  const key = { name, every, day: period.day };
  const [state = null] = await readPeriodStates(warehouse, [key]);
  const frozen = state === 'built' ? await deliveriesOf(warehouse, key) : [];
  return {
    digest,
    key,
    state,
    isDeleted: frozen.some(({ isMessageKept }) => !isMessageKept),
    period,
  };
}

/** Returns the digests that go to `to` by the settings, or all if it is null. Throws if there are none. */
function ofRecipient(requested: readonly RequestedDigest[], to: string | null): readonly RequestedDigest[] {
  if (to === null) return requested;
  const own = requested.filter(({ digest }) => digest.to.some((recipient) => isSameMailbox(recipient, to)));
  if (own.length > 0) return own;
  const known = requested.map(({ key, digest }) => `${digestName(key)} goes to ${digest.to.join(', ')}`);
  throw usageFailure(`${to} is not a recipient: ${known.join('; ')}`);
}

/**
 * Throws if a digest can't be sent: its message was deleted or, without `again`, it was skipped or lacks days.
 */
function requireSendable({ key, state, period, isDeleted }: RequestedDigest, { again }: SendRequest): void {
  if (again && isDeleted)
    throw new Failure('INVALID_ARGUMENTS', `the message of ${digestName(key)} is no longer kept`, {
      advice: '--preview builds it again, as files to send by hand',
    });
  if (again || state === 'built' || state === 'sent with another') return;
  if (state === 'skipped')
    throw usageFailure(`${digestName(key)} was skipped: to send it anyway, add --resend`);
  const lacking = period.accounts.filter(({ now }) => now.lackingDays.length > 0);
  if (lacking.length === 0) return;
  const days = lacking.map(({ now: { label, lackingDays } }) => `${label}, ${formatDays(lackingDays)}`);
  throw new Failure(
    'INVALID_ARGUMENTS',
    `${digestName(key)} is not complete: days are not loaded or not over (${days.join('; ')})`,
    { advice: 'to see what is there, add --preview; to send it anyway, --resend' },
  );
}

const isSameMailbox = (one: string, other: string) => mailboxOf(one) === mailboxOf(other);

/** The deliveries to attempt, to recipients of the settings; builds the digest first if needed. */
async function deliveriesWanted(
  run: Run,
  { digest, key, state, period }: RequestedDigest,
  { to, again }: SendRequest,
): Promise<Delivery[]> {
  const { warehouse, stats } = run;
  if (!again && state === 'sent with another') return [];
  // If the digest is new, `recordDigestStarts` may just have skipped this period.
  if (again || state !== 'built') await unskipPeriod(warehouse, key);
  if (state !== 'built') {
    const [{ number, mailedAt }] = (await readDigestStates(warehouse, [digest])) as [DigestState];
    const due = { digest, number: number + 1, mailedAt, ...shownPeriod(period), earlier: [] };
    if (await buildDigest(run, due)) stats.digests[due.before === null ? 'built' : 'corrected']++;
  }
  await addRecipients(warehouse, key, digest.to, () => newMessageId(run.config.mail.from));
  const wanted = digest.to.filter((recipient) => to === null || isSameMailbox(recipient, to));
  const deliveries = await deliveriesOf(warehouse, key);
  return deliveries.filter(
    ({ recipient, state }) =>
      wanted.some((each) => isSameMailbox(each, recipient)) && (again || openStates.includes(state)),
  );
}
