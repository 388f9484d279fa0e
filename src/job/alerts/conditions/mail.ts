import type { AlertStep } from '../../../model/alert.ts';
import type { DeliveryState, DeliveryStep, UndeliveredMessage } from '../../../model/digest.ts';
import { isRetryable } from '../../../model/digest.ts';
import { type ErrorCode, errorCatalogue } from '../../../model/errors.ts';
import { digestName } from '../../../model/period.ts';
import { capitalize, plural, withStop } from '../../../support/english.ts';
import {
  detailsIn,
  dismiss,
  firstThree,
  type Items,
  lastSentence,
  manual,
  reportIt,
  runNow,
  typed,
} from '../items.ts';
import { type Alert, type Condition, type Text, untilItLasts } from './condition.ts';

export const mailConditions = {
  DIGEST_FAILED: {
    severity: 'error',
    kind: (alert) => (alert.items[0]!.part === 'INTERNAL' ? 'to do' : untilItLasts(alert)),
    find: ({ lastRun }) =>
      (lastRun?.digestErrors ?? [])
        // Digests that are built are messages that wait.
        .filter(({ isBuilt }) => !isBuilt)
        .map(({ code, digest: name, every, day, detail }) => {
          const digest = { name, every, day };
          return { id: digestName(digest), part: code, digest, detail };
        }),
    describe: ({ items }) => {
      const error = items[0]!.part as ErrorCode;
      return {
        what: `digest not sent (${errorCatalogue[error].summary})`,
        explanation: `${lastSentence(items)} Figures are not affected.`,
        retried: true,
        steps: [...(error === 'INTERNAL' ? [reportIt] : []), runNow('To try again')],
      };
    },
  },
  MAIL_GIVEN_UP: {
    severity: 'error',
    kind: 'to do',
    find: findUnsent('given_up'),
    describe: (alert) => ({
      what: 'mail given up',
      explanation: `${capitalize(quoted(alert.items))} ${plural(alert.items.length, 'It', 'Each')} failed on seven run dates, and is not resent automatically.`,
      steps: [...lookAt(alert), ...resendSteps(alert, 'Then, to send it again', 'If it is not needed')],
    }),
  },
  MAIL_UNKNOWN: {
    severity: 'error',
    kind: 'to do',
    find: findUnsent('unknown'),
    describe: (alert) => ({
      what: 'mail may not have arrived',
      explanation: `${capitalize(quoted(alert.items))} The mail may have arrived, so it won't be resent automatically.`,
      steps: [
        manual('Ask the recipient whether it arrived'),
        ...resendSteps(alert, 'If it did not', 'If it did'),
      ],
    }),
  },
  MAIL_FAILED: {
    severity: 'error',
    // A temporary reply, or none, may change by itself; a folder doesn't.
    kind: (alert) => {
      const message = alert.items[0]!.message!;
      return message.step !== 'folder' && isRetryable(message) ? untilItLasts(alert) : 'to do';
    },
    find: findUnsent('pending', 'sending', 'failed'),
    describe: describeFailedMail,
  },
} as const satisfies Record<string, Condition>;

/** Messages in one of these states: those that ended at the same step with the same code have one cause. */
function findUnsent(...states: readonly DeliveryState[]): Condition['find'] {
  return ({ deliveries, lastRun, running }) =>
    deliveries
      .filter(({ state }) => states.includes(state))
      // The run that built it is running, and has yet to send it.
      .filter(({ run }) => running === null || run !== running.run)
      .map((message) => {
        const { digest: name, every, day, recipient, state, reply, step, code } = message;
        const digest = { name, every, day };
        // Without a reply of the mail server, an error of the run kept the message.
        const error = lastRun?.digestErrors.find((each) => each.digest === name && each.day === day);
        return {
          id: `${digestName(digest)} to ${recipient}`,
          part: state === 'unknown' || step === null ? null : [step, code ?? []].flat().join('/'),
          digest,
          message,
          detail: reply ?? error?.detail ?? 'no attempt yet',
        };
      });
}

/** The replies of the mail server, in quotes; without one, the event. */
function quoted(items: Items): string {
  const replies = detailsIn(items).map((reply) => (/^[2-5]\d\d\b/.test(reply) ? `"${reply}"` : reply));
  const by = replies.some((reply) => /^"[2-5]\d\d\b/.test(reply)) ? 'the mail server replied ' : '';
  return withStop(`${by}${firstThree(replies)}`);
}

/** Sends the newest message again, or none of them. */
function resendSteps({ key, items }: Alert, text: string, needless: string): AlertStep[] {
  return [
    resend(items[0]!.message!, text),
    ...(items.length === 1 ? [] : [typed('To see the same command for the others', 'status', '--json')]),
    dismiss(needless, key),
  ];
}

/** Sends a message again that may or may not have arrived. */
export const resend = (
  { digest, day, recipient }: Pick<UndeliveredMessage, 'digest' | 'day' | 'recipient'>,
  text = 'To send it again',
): AlertStep => typed(text, 'digest', '--day', day, '--digest', digest, '--to', recipient, '--resend');

/** The words for each step of a session, and where to look. */
export const mailSteps: Readonly<Record<DeliveryStep, { readonly what: string; readonly look: string }>> = {
  connection: {
    what: "mail server can't be used",
    look: 'Check host and port in SMTP_URL, and the network; if the server refuses this machine, ask its administrator',
  },
  tls: {
    what: "connection to the mail server can't be secured",
    look: 'Correct SMTP_URL, or have the certificate renewed or trusted',
  },
  login: {
    what: 'mail server refuses the login',
    look: 'Correct user and password in SMTP_URL; if the server wants OAuth, use a relay or an app password',
  },
  sender: {
    what: 'mail server refuses DIGEST_FROM',
    look: 'Set DIGEST_FROM to an address that this login may send from; if the server wants a login, add it to SMTP_URL',
  },
  recipient: {
    what: 'mail server refuses the recipient',
    look: 'If the reply is about the address, correct or remove it in DIGEST_TO or DIGESTS_FILE; if it is about DIGEST_FROM or this machine, correct that; else ask the administrator of the mail server',
  },
  message: {
    what: 'mail server refuses the message',
    look: 'Correct what the reply names, such as DIGEST_FROM, or the size (DIGEST_MAX_MB); else ask the administrator of the mail server',
  },
  folder: {
    what: "OUTBOX_DIR can't be written",
    look: 'Let Callsheet write to OUTBOX_DIR',
  },
};

/** The step to take first, by the step of the session at which all items failed. */
function lookAt({ items, state }: Alert): AlertStep[] {
  const { step, code } = items[0]!.message!;
  if (step === null) return [];
  const look = mailSteps[step].look.replace('DIGEST_TO or DIGESTS_FILE', state.recipients);
  // A temporary reply, such as one of greylisting, mostly ends by itself.
  const isTemporary = code !== null && code < 500;
  return [manual(isTemporary ? `If it lasts: ${look[0]!.toLowerCase()}${look.slice(1)}` : look)];
}

function describeFailedMail(alert: Alert): Text {
  const { items, state } = alert;
  const { step, code } = items[0]!.message!;
  const failed = step === null ? 'mail not sent yet' : mailSteps[step].what;
  const reply = code === null ? '' : `${code < 500 ? ' for now' : ''} (${code})`;
  const isOfServer = step !== null && step !== 'recipient' && step !== 'folder';
  const test = typed('To send a test message', 'doctor', '--mail-to', state.testAddress);
  return {
    what: `${failed}${reply}`,
    explanation:
      step === null
        ? capitalize(quoted(items))
        : `Not sent yet: ${quoted(items)} It is given up after seven run dates.`,
    retried: true,
    steps: [
      ...lookAt(alert),
      ...(isOfServer ? [test] : []),
      runNow(step === null ? 'To send now' : 'Then, to send it'),
    ],
  };
}
