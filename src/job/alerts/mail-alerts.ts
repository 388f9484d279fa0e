import type { DeliveryState } from '../../model/digest.ts';
import { digestName } from '../../model/period.ts';
import { formatCountOf, formatList, plural, withStop } from '../../support/english.ts';
import type { FoundAlert, IncompleteDigest, LastRun, UndeliveredMessage, WarehouseState } from './state.ts';
import { dismiss, manual, resend, runNow, typed } from './steps.ts';

/** The alerts about mail. */
export function mailAlerts(
  { deliveries, incomplete, lastRun }: WarehouseState,
  nextAttempt: string,
): FoundAlert[] {
  const settled = deliveries.filter(({ state }) => state === 'refused' || state === 'unknown');
  const alike = Map.groupBy(settled, ({ state, recipient }) => `${state} ${recipient}`);
  // The run in progress has yet to send these.
  const waiting = lastRun?.state === 'in progress' ? [] : deliveries.filter(({ state }) => !isSettled(state));
  return [
    ...[...alike.values()].map(undelivered),
    ...(waiting.length === 0 ? [] : [waitingMail(waiting, whyWaiting(waiting, lastRun), nextAttempt)]),
    ...incomplete.map(incompleteDigest),
  ];
}

const nameOf = ({ digest, every, day }: UndeliveredMessage) => digestName({ name: digest, every, day });

const isSettled = (state: DeliveryState) => state === 'refused' || state === 'unknown';

function undelivered(messages: readonly UndeliveredMessage[]): FoundAlert {
  const { state, recipient, reply } = messages.at(-1)!;
  const isRefused = state === 'refused';
  const code = isRefused ? 'MAIL_REFUSED' : 'MAIL_UNKNOWN';
  const key = `${code}/${recipient}`;
  const after = isRefused
    ? 'There is no further attempt.'
    : 'It may have arrived, so there is no further attempt by itself.';
  const digests = messages.map(nameOf);
  return {
    code,
    key,
    account: null,
    severity: 'error',
    title: `${formatList(digests)} to ${recipient}: ${state}`,
    cause: `${withStop(reply ?? 'No reply')} ${after}`,
    days: [],
    affects: digests,
    retried: false,
    steps: [
      manual(
        isRefused
          ? 'Correct the address in the settings, or the mail server'
          : 'Ask the recipient whether it has arrived',
      ),
      ...messages.map(({ digest, day }) => resend(digest, day, recipient)),
      dismiss(isRefused ? 'If it need not be sent' : 'If it has arrived', key),
    ],
  };
}

/** The reply of the mail server, or the error of the run. */
function whyWaiting(messages: readonly UndeliveredMessage[], lastRun: LastRun | null): string {
  const last = messages.at(-1)!;
  if (last.reply !== null) return last.reply;
  const error = lastRun?.digestErrors.find(({ digest, day }) => digest === last.digest && day === last.day);
  if (error === undefined) return 'No attempt yet';
  return `digest ${nameOf(last)} to ${last.recipient}: ${error.detail}`;
}

function waitingMail(messages: readonly UndeliveredMessage[], why: string, nextAttempt: string): FoundAlert {
  const last = messages.at(-1)!;
  return {
    code: 'MAIL_WAITING',
    key: 'MAIL_WAITING',
    account: null,
    severity: 'error',
    title: `${formatCountOf(messages.length, 'message')} ${plural(messages.length, 'waits', 'wait')}, up to ${nameOf(last)}`,
    cause: `${withStop(why)} ${nextAttempt}`,
    days: [],
    affects: messages.map((message) => `${nameOf(message)} to ${message.recipient}`),
    retried: true,
    steps: [typed('To check the mail server', 'doctor'), runNow()],
  };
}

function incompleteDigest({ name, every, day, lacking }: IncompleteDigest): FoundAlert {
  const digest = digestName({ name, every, day });
  return {
    code: 'DIGEST_INCOMPLETE',
    key: `DIGEST_INCOMPLETE/${name}/${day}`,
    account: null,
    severity: 'note',
    title:
      lacking.length > 0
        ? `${digest} went out incomplete: ${formatList(lacking)} missing`
        : `${digest} went out with figures that may be low`,
    cause: `A corrected one follows by itself once the ${every} is whole.`,
    days: [],
    affects: [day],
    retried: true,
    steps: [],
  };
}
