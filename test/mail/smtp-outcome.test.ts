import { describe, expect, it } from 'vitest';
import { waitingCauses } from '../../src/job/alerts/conditions.ts';
import { outcomeOf, type SmtpError } from '../../src/mail/smtp-outcome.ts';
import { type DeliveryCause, deliveryCauses } from '../../src/model/digest.ts';
import { read } from '../deploy/known.ts';

const clean = (reply: string) => (reply.includes('secret') ? '[redacted]' : reply);
const outcome = (part: Partial<SmtpError>, handedOver = false) =>
  outcomeOf(Object.assign(new Error(part.message ?? 'the reply'), part), handedOver, clean);
const replied = (response: string, command: string) =>
  outcome({
    response,
    message: `It failed: ${response}`,
    responseCode: Number.parseInt(response, 10),
    command,
  });

/** Replies as servers send them, with the command that they answer. */
const repliesOf: Readonly<Partial<Record<DeliveryCause, readonly string[]>>> = {
  recipient: [
    '550 5.1.1 User unknown to RCPT',
    '550 5.1.10 Recipient not found to DATA',
    '550 No such user to RCPT',
    '552 5.2.2 to RCPT',
    '452 4.2.2 over quota to RCPT',
    '550 5.2.1 to DATA',
  ],
  sender: [
    '554 5.2.0 SendAsDenied to DATA',
    '554 5.2.252 to DATA',
    '550 5.7.26 to DATA',
    '553 5.1.8 to MAIL',
    '550 to MAIL',
    '553 5.7.1 Sender address rejected to RCPT',
    '554 Message rejected: Email address is not verified. to DATA',
  ],
  machine: [
    '554 to CONN',
    '550 5.7.25 to RCPT',
    '501 to EHLO',
    '554 5.7.1 Relay access denied to RCPT',
    '554 5.7.1 blocked using a list to RCPT',
  ],
  login: ['535 5.7.8 to AUTH', '535 5.7.139 to AUTH', '530 5.7.57 to MAIL'],
  message: [
    '552 to DATA',
    '554 5.3.4 to DATA',
    '552 5.2.3 too large for this recipient to DATA',
    '550 5.6.0 to DATA',
  ],
  policy: [
    '554 5.7.1 to RCPT',
    '550 5.7.0 to DATA',
    '550 5.4.5 Daily sending limit exceeded to DATA',
    '550 5.1.1 looks like spam to RCPT',
    '550 5.4.1 Recipient address rejected: Access denied to RCPT',
  ],
  undecided: ['550 to RCPT', '550 5.1.0 Address rejected to RCPT', '554 to DATA'],
  encryption: ['502 to STARTTLS'],
  busy: ['450 4.2.1 to RCPT', '421 to CONN', '451 to DATA', '454 Throttling failure to DATA'],
};

describe('a reply', () => {
  const rows = read('docs/operations.md')
    .split("## What a mail server's reply means")[1]!
    .split('\n')
    .filter((line) => line.startsWith('| ') && line.includes('`'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const commands: Readonly<Record<string, string>> = {
    RCPT: 'RCPT TO',
    MAIL: 'MAIL FROM',
    AUTH: 'AUTH PLAIN',
  };
  const replies = Object.entries(repliesOf).flatMap(([cause, some]) =>
    some.map((text) => {
      const [reply, stage] = text.split(' to ') as [string, string];
      return { reply, command: commands[stage] ?? stage, cause };
    }),
  );

  it.each(replies)(
    '$reply to $command is of $cause, and final for a recipient alone',
    ({ reply, command, cause }) => {
      expect(replied(reply.length > 9 ? reply : `${reply} no`, command)).toMatchObject({
        cause,
        state: cause === 'recipient' ? 'refused' : 'failed',
      });
    },
  );

  it('is of a cause that docs/operations.md explains, with what the alert says to correct', () => {
    const causes = rows.map(([refused]) => /^`(\w+)`/.exec(refused!)?.[1]);
    expect(new Set(causes)).toEqual(new Set(deliveryCauses.filter((cause) => cause !== 'folder')));
    for (const [cause, { correct }] of Object.entries(waitingCauses)) {
      if (correct === null || cause === 'folder') continue;
      expect(rows.find(([refused]) => refused!.startsWith(`\`${cause}\``))!.at(-1)).toBe(correct);
    }
  });
});

describe('a message that the server may have', () => {
  it.each([
    [undefined, 'unknown'],
    [399, 'unknown'],
    [400, 'failed'],
    [599, 'failed'],
    [600, 'unknown'],
  ])('is decided by its reply: %s is %s', (responseCode, state) => {
    expect(outcome({ responseCode, command: 'DATA' }, true).state).toBe(state);
  });
});

describe('an error without a reply', () => {
  it.each([
    [{ code: 'ETIMEDOUT', command: 'CONN' }, 'silent'],
    [{ code: 'ECONNECTION', originalCode: 'ECONNREFUSED', command: 'CONN' }, 'unreachable'],
    [{ code: 'EDNS' }, 'unreachable'],
    [{ code: 'ETLS', command: 'STARTTLS' }, 'encryption'],
    [{ code: 'ESOCKET', originalCode: 'CERT_HAS_EXPIRED' }, 'encryption'],
    [{ code: 'ESOCKET', message: 'SSL routines::wrong version number' }, 'encryption'],
    [{ code: 'EAUTH', command: 'API', message: 'Missing credentials for "PLAIN"' }, 'login'],
  ] as const)('%j is %s, and the message is sent later', (part, cause) => {
    expect(outcome(part)).toMatchObject({ state: 'failed', cause });
  });
});

describe('the reply', () => {
  it.each([
    [{ originalCode: 'HOSTNAME_MISMATCH' }, 'NODE_EXTRA_CA_CERTS'],
    [{ message: 'SSL routines::wrong version number' }, 'use smtp:// in SMTP_URL'],
    [
      { responseCode: 535, response: '535 5.7.139 Authentication unsuccessful', command: 'AUTH PLAIN' },
      'OAuth',
    ],
    [
      { responseCode: 534, response: '534-5.7.9 Application-specific password', command: 'AUTH LOGIN' },
      'app password',
    ],
    [
      { responseCode: 504, response: '504 5.5.4 Unrecognized', command: 'AUTH PLAIN' },
      'accepts no plain password',
    ],
  ])('to %j says what to set', (part, advice) => {
    expect(outcome(part).reply).toContain(advice);
  });

  it('that had to be redacted as a whole keeps its code, if it has one', () => {
    expect(outcome({ responseCode: 535, message: 'a secret' }).reply).toBe('535 [redacted]');
    expect(outcome({ message: 'a secret' }).reply).toBe('[redacted]');
    expect(outcome({ responseCode: 535 }).reply).toBe('the reply');
  });
});
