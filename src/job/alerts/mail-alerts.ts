import type { DeliveryState } from '../../model/digest.ts';
import { type DigestKey, digestName } from '../../model/period.ts';
import { capitalize, formatCountOf, plural, withStop } from '../../support/english.ts';
import { dismiss, hit, manual, resend, runNow, titled, typed } from './sentences.ts';
import type { FoundAlert, LastRun, UndeliveredMessage, WarehouseState } from './state.ts';

/** The alerts about mail: one for each state and reply, one for what waits, and a note on what is incomplete. */
export function mailAlerts(
  { deliveries, incomplete, lastRun }: WarehouseState,
  nextAttempt: string,
): FoundAlert[] {
  const settled = deliveries.filter(({ state }) => isSettled(state));
  // The run in progress has yet to send the others.
  const waiting = lastRun?.state === 'in progress' ? [] : deliveries.filter(({ state }) => !isSettled(state));
  return [
    ...[...Map.groupBy(settled, keyOf)].map(([key, messages]) => undelivered(key, messages)),
    ...(waiting.length === 0 ? [] : [waitingMail(waiting, whyWaiting(waiting, lastRun), nextAttempt)]),
    ...(incomplete.length === 0 ? [] : [incompleteDigests(incomplete)]),
  ];
}

const nameOf = ({ digest, every, day }: UndeliveredMessage) => digestName({ name: digest, every, day });
const recipientsOf = (messages: readonly UndeliveredMessage[]) =>
  hit(
    'recipient',
    messages.map(({ recipient }) => recipient),
  );
const digestsOf = (messages: readonly UndeliveredMessage[]) => hit('digest', messages.map(nameOf));
const affected = (messages: readonly UndeliveredMessage[]) =>
  messages.map((message) => `${nameOf(message)} to ${message.recipient}`);

const isSettled = (state: DeliveryState) => state === 'refused' || state === 'unknown';

/** The state, and the status that the mail server replied. */
function keyOf({ state, reply }: UndeliveredMessage): string {
  const status = /\b[45]\d\d\b/.exec(reply ?? '')?.[0];
  const code = state === 'refused' ? 'MAIL_REFUSED' : 'MAIL_UNKNOWN';
  return state === 'refused' && status !== undefined ? `${code}/${status}` : code;
}

function undelivered(key: string, messages: readonly UndeliveredMessage[]): FoundAlert {
  const { state, reply, digest, day, recipient } = messages.at(-1)!;
  const isRefused = state === 'refused';
  const again = resend(digest, day, recipient);
  const rest = messages.length - 1;
  const others =
    rest === 0 ? [] : [manual(`The other ${rest} in the same way: status --json has the commands`)];
  const after = isRefused
    ? 'Nobody gets it there. It is not sent again by itself.'
    : 'It may have arrived, so it is not sent again by itself.';
  return {
    code: isRefused ? 'MAIL_REFUSED' : 'MAIL_UNKNOWN',
    key,
    severity: 'error',
    ...titled(isRefused ? 'mail refused' : 'mail may not have arrived', [
      ...recipientsOf(messages),
      ...digestsOf(messages),
    ]),
    cause: `${withStop(capitalize(reply ?? 'no reply'))} ${after}`,
    accounts: [],
    affects: affected(messages),
    retried: false,
    steps: isRefused
      ? [
          manual('Correct the address in the settings, or remove it: the next run ends this'),
          dismiss('If it need not be sent', key),
          again,
          ...others,
        ]
      : [
          manual('Ask whether it has arrived'),
          dismiss('If it has', key),
          { ...again, text: 'If it has not' },
          ...others,
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
  return {
    code: 'MAIL_WAITING',
    key: 'MAIL_WAITING',
    severity: 'error',
    ...titled(`${formatCountOf(messages.length, 'message')} not sent yet`, [
      ...recipientsOf(messages),
      ...digestsOf(messages),
    ]),
    cause: `${withStop(capitalize(why))} ${nextAttempt}`,
    accounts: [],
    affects: affected(messages),
    retried: true,
    steps: [typed('To check the mail server', 'doctor'), runNow('To send now')],
  };
}

function incompleteDigests(digests: readonly DigestKey[]): FoundAlert {
  const names = digests.map(digestName);
  return {
    code: 'DIGEST_INCOMPLETE',
    key: 'DIGEST_INCOMPLETE',
    severity: 'note',
    ...titled('went out incomplete, or with figures that may be low', hit('digest', names)),
    title: `${formatCountOf(names.length, 'digest')} went out incomplete, or with figures that may be low`,
    cause: `${plural(names.length, 'A corrected one follows', 'Corrected ones follow')} by ${plural(names.length, 'itself', 'themselves')} once the figures are whole.`,
    accounts: [],
    affects: names,
    retried: true,
    steps: [],
  };
}
