import type { DeliveryCause, DeliveryState } from '../../model/digest.ts';
import { type DigestKey, digestName } from '../../model/period.ts';
import { capitalize, formatCountOf, plural, withStop } from '../../support/english.ts';
import { dismiss, hit, manual, resend, runNow, titled, typed, unique } from './sentences.ts';
import type { FoundAlert, LastRun, UndeliveredMessage, WarehouseState } from './state.ts';

/** The alerts about mail: one for each refusal, one for each cause for which mail waits, and a note on what is incomplete. */
export function mailAlerts(
  { deliveries, incomplete, lastRun }: WarehouseState,
  nextAttempt: string,
): FoundAlert[] {
  const settled = deliveries.filter(({ state }) => isSettled(state));
  // The run in progress has yet to send the others.
  const waiting = lastRun?.state === 'in progress' ? [] : deliveries.filter(({ state }) => !isSettled(state));
  return [
    ...[...Map.groupBy(settled, keyOf)].map(([key, messages]) => undelivered(key, messages)),
    ...[...Map.groupBy(waiting, ({ cause }) => cause)].map(([cause, messages]) =>
      waitingMail(cause, messages, whyWaiting(messages, lastRun), nextAttempt),
    ),
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
    ? "It wasn't delivered there and won't be resent automatically."
    : "It may have arrived, so it won't be resent automatically.";
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
          manual(
            'Correct the address in DIGEST_TO or DIGESTS_FILE, or remove it: the next run does the rest',
          ),
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

type Waiting = {
  /** What happens, with the mail server or the folder as its subject. */
  readonly what: string;
  /** What to correct; null if it may pass by itself. */
  readonly correct: string | null;
};

/** Why mail waits. docs/operations.md has them as a table. */
export const waitingCauses: Readonly<Record<Exclude<DeliveryCause, 'recipient'>, Waiting>> = {
  sender: {
    what: 'mail server refuses DIGEST_FROM',
    correct: 'Set DIGEST_FROM to an address that this login may send from',
  },
  message: {
    what: 'mail server refuses the message',
    correct: 'If it is too large, lower DIGEST_MAX_MB; else ask who runs the mail server',
  },
  machine: {
    what: 'mail server refuses this machine',
    correct:
      'Let the mail server accept this machine, or log in by SMTP_URL; its reply may name a block list',
  },
  login: {
    what: 'mail server refuses the login',
    correct: 'Correct user and password in SMTP_URL',
  },
  encryption: {
    what: "connection to the mail server can't be secured",
    correct: 'Correct SMTP_URL or the certificate, as the reply says',
  },
  policy: {
    what: "mail server's rules refuse the mail",
    correct: 'Ask who runs the mail server which rule it is: about DIGEST_FROM, this machine or the content',
  },
  undecided: {
    what: 'mail server refuses all mail alike',
    correct: 'Check DIGEST_FROM and SMTP_URL, or ask who runs the mail server',
  },
  busy: { what: 'mail server puts mail off', correct: null },
  unreachable: { what: "mail server can't be reached", correct: null },
  silent: { what: "mail server doesn't answer", correct: null },
  folder: { what: "OUTBOX_DIR can't be written", correct: 'Let Callsheet write to OUTBOX_DIR' },
};

function waitingMail(
  cause: DeliveryCause | null,
  messages: readonly UndeliveredMessage[],
  why: string,
  nextAttempt: string,
): FoundAlert {
  const digests = unique(messages.map(nameOf));
  const waiting = cause === null || cause === 'recipient' ? null : waitingCauses[cause];
  const what = waiting?.what ?? 'mail not sent yet';
  const wait = `${formatCountOf(digests.length, 'digest')} ${plural(digests.length, 'waits', 'wait')}`;
  const check =
    cause === 'folder'
      ? typed('To check the folder', 'doctor')
      : typed('To try it with one message', 'doctor', '--mail-to', messages.at(-1)!.recipient);
  return {
    code: 'MAIL_WAITING',
    key: cause === null ? 'MAIL_WAITING' : `MAIL_WAITING/${cause}`,
    severity: 'error',
    ...titled(what, [...digestsOf(messages), ...recipientsOf(messages)]),
    brief: `${what} (${formatCountOf(digests.length, 'digest')})`,
    title: `${waiting === null || cause === 'folder' ? capitalize(what) : `The ${what}`}: ${wait}`,
    cause: `${withStop(capitalize(why))} ${nextAttempt}`,
    accounts: [],
    affects: affected(messages),
    retried: true,
    steps: [
      ...(waiting?.correct == null ? [] : [manual(waiting.correct)]),
      check,
      runNow(waiting?.correct == null ? 'To send now' : 'Then send what waits'),
    ],
  };
}

function incompleteDigests(digests: readonly DigestKey[]): FoundAlert {
  const names = digests.map(digestName);
  return {
    code: 'DIGEST_INCOMPLETE',
    key: 'DIGEST_INCOMPLETE',
    severity: 'note',
    ...titled('went out incomplete or provisional', hit('digest', names)),
    title: `${formatCountOf(names.length, 'digest')} went out incomplete or provisional`,
    cause: 'If the figures differ once they are confirmed, a corrected digest follows automatically.',
    accounts: [],
    affects: names,
    retried: true,
    steps: [],
  };
}
