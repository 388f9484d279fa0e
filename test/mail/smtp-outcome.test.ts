import { describe, expect, it } from 'vitest';
import { waitingCauses } from '../../src/job/alerts/conditions.ts';
import { outcomeOf, type SmtpError } from '../../src/mail/smtp-outcome.ts';
import { deliveryCauses } from '../../src/model/digest.ts';
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

describe('the table of replies in docs/operations.md', () => {
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
  const replies = rows.flatMap(([said, refused]) =>
    [...said!.matchAll(/`(\d{3}[^`]*)` to ([A-Z]+)/g)].map(([, reply, stage]) => ({
      reply: reply!,
      command: commands[stage!] ?? stage!,
      cause: /^`(\w+)`/.exec(refused!)![1]!,
    })),
  );

  it('says of 20 replies and more who is refused', () => {
    expect(replies.length).toBeGreaterThan(20);
  });

  it.each(replies)(
    '$reply to $command is of $cause, and final for a recipient alone',
    ({ reply, command, cause }) => {
      expect(replied(reply.length > 9 ? reply : `${reply} no`, command)).toMatchObject({
        cause,
        state: cause === 'recipient' ? 'refused' : 'failed',
      });
    },
  );

  it('has a row for each cause, with what the alert tells to correct', () => {
    const causes = rows.map(([, refused]) => /^`(\w+)`/.exec(refused!)?.[1]);
    expect(new Set(causes)).toEqual(new Set(deliveryCauses.filter((cause) => cause !== 'folder')));
    for (const [cause, { correct }] of Object.entries(waitingCauses)) {
      if (correct === null || cause === 'folder') continue;
      expect(rows.find(([, refused]) => refused!.startsWith(`\`${cause}\``))!.at(-1)).toBe(correct);
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
