import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Mailer } from '../../src/mail/mailer.ts';
import { createSmtpMailer } from '../../src/mail/smtp.ts';
import type { DeliveryCause } from '../../src/model/digest.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { type SmtpProxy, type SmtpStage, startSmtpProxy } from '../support/smtp-proxy.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';

/** `dot` is the reply to the final dot. */
type Stage = 'CONN' | 'MAIL' | 'RCPT' | 'DATA' | 'dot';
type Refusal = readonly [stage: Stage, reply: string, cause: DeliveryCause];

/** Of manuals, and of https://github.com/sisimai/set-of-emails. */
const replies: { readonly [of: string]: readonly Refusal[] } = {
  'a mailbox that does not exist, or has moved': [
    [
      'RCPT',
      '550 5.1.1 <ana@example.com>: Recipient address rejected: User unknown in virtual mailbox table',
      'recipient',
    ],
    ['RCPT', '550 5.1.1 <spam@sender.example.com>... User Unknown', 'recipient'],
    [
      'RCPT',
      "550-5.1.1 The email account that you tried to reach does not exist. Please try\r\n550-5.1.1 double-checking the recipient's email address for typos or\r\n550-5.1.1 unnecessary spaces. For more information, go to\r\n550 5.1.1  https://support.google.com/mail/?p=NoSuchUser a640c23a62f3a-b2 - gsmtp",
      'recipient',
    ],
    [
      'RCPT',
      '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
      'recipient',
    ],
    ['dot', '550 5.1.1 RESOLVER.ADR.RecipNotFound; not found', 'recipient'],
    [
      'dot',
      '550 5.1.351 Remote server returned unknown recipient or mailbox unavailable -> 550 : User unknown',
      'recipient',
    ],
    ['RCPT', '550 5.1.1 unknown or illegal alias: spam@sender.example', 'recipient'],
    ['RCPT', '550 5.1.1 User ana (ana@example.com) not listed in Domino Directory', 'recipient'],
    [
      'RCPT',
      '550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416 [416]',
      'recipient',
    ],
    ['RCPT', '550 5.1.1 user unknown (mx1.antispam.filter.example.com)', 'recipient'],
    ['RCPT', '550 sorry, no mailbox here by that name (#5.1.1 - chkuser)', 'recipient'],
    ['RCPT', '550 5.1.6 recipient no longer on server: ana@example.com', 'recipient'],
    ['RCPT', '550 5.1.10 <ana@example.com>: Recipient address has null MX', 'recipient'],
    ['RCPT', '550 5.1.2 The recipient domain was not found', 'recipient'],
    ['RCPT', '501 5.1.3 Bad recipient address syntax', 'recipient'],
    ['RCPT', '550 No Such User Here', 'recipient'],
    ['RCPT', '550 Unrouteable address', 'recipient'],
    ['RCPT', '550 5.1.1 Email address could not be found, or was misspelled (G8)', 'recipient'],
    ['RCPT', '550 5.1.1 mailbox unavailable', 'recipient'],
    ['RCPT', '550 5.1.1 Destinataire inconnu', 'recipient'],
    ['RCPT', '550 5.1.1', 'recipient'],
    [
      'RCPT',
      '550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550 [PqX2uO0vNB.us77]',
      'recipient',
    ],
    ['RCPT', '550 5.1.1 See https://policy.example.com/spam?sender=limit', 'recipient'],
  ],
  'a mailbox that is full or disabled': [
    ['RCPT', '552 5.2.2 <ana@example.com>: user is over quota', 'recipient'],
    [
      'RCPT',
      "552-5.2.2 The recipient's inbox is out of storage space and inactive. Please direct\r\n552 5.2.2 the recipient to https://support.google.com/mail/?p=OverQuotaPerm - gsmtp",
      'recipient',
    ],
    ['RCPT', '452 4.2.2 The email account that you tried to reach is over quota. - gsmtp', 'recipient'],
    [
      'dot',
      '554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException.MapiExceptionShutoffQuotaExceeded; the message sent exceeds the size limit',
      'recipient',
    ],
    ['dot', '552 5.2.2 <ana@example.com> Quota exceeded (mailbox for user is full)', 'recipient'],
    ['RCPT', '552 ana@example.com mailbox full', 'recipient'],
    ['RCPT', '550 5.2.1 The email account that you tried to reach is disabled. a1 - gsmtp', 'recipient'],
    ['dot', '550 5.2.1 STOREDRV.Deliver; mailbox cannot be accessed', 'recipient'],
  ],
  'a sender, though the code may say mailbox': [
    [
      'dot',
      '554 5.2.0 STOREDRV.Submission.Exception:SendAsDeniedException.MapiExceptionSendAsDenied; Failed to process message due to a permanent exception',
      'sender',
    ],
    ['dot', '554 5.2.252 SendAsDenied; ana@example.com not allowed to send as calls@example.com', 'sender'],
    ['dot', '550 5.7.60 SMTP; Client does not have permissions to send as this sender', 'sender'],
    ['RCPT', '550 5.1.0 <calls@example.com> sender rejected. Refer to Error Codes', 'sender'],
    ['RCPT', '550 5.1.1 Sender address is unknown here', 'sender'],
    [
      'RCPT',
      '550-Verification failed for <calls@example.com>\r\n550-The mail server does not recognize it\r\n550 Sender verify failed',
      'sender',
    ],
    ['RCPT', '553 5.7.1 <calls@example.com>: Sender address rejected: not owned by user ana', 'sender'],
    ['MAIL', '553 5.1.8 <calls@example.com>... Domain of sender address does not exist', 'sender'],
    ['MAIL', '550 5.1.1 no', 'sender'],
    [
      'dot',
      "550-5.7.26 Unauthenticated email from example.com is not accepted due to domain's\r\n550 5.7.26 DMARC policy. a1 - gsmtp",
      'sender',
    ],
    [
      'dot',
      '554 Message rejected: Email address is not verified. The following identities failed the check in region US-EAST-1: calls@example.com',
      'sender',
    ],
    ['dot', '550 5.1.1 The domain example.com is not allowed to send: please verify it', 'sender'],
    ['RCPT', '550 5.1.0 192.0.2.222 is not allowed to send from <example.net> per its SPF Record', 'sender'],
    ['dot', '550 5.1.8 Access denied, bad outbound sender', 'sender'],
    ['dot', '550 From header sender domain not verified', 'sender'],
    ['RCPT', '550 5.1.1 Absender nicht zugelassen', 'sender'],
  ],
  'a limit, a policy, spam or the machine': [
    ['RCPT', '550 5.1.1 Sandbox subdomains are for test purposes only', 'policy'],
    [
      'RCPT',
      "550 5.1.90 Your message can't be sent because you've reached your daily limit for message recipients",
      'policy',
    ],
    [
      'dot',
      '554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException; Failed to process message',
      'policy',
    ],
    ['RCPT', '550 5.2.2 Submission quota exceeded', 'policy'],
    ['dot', '550 5.4.5 Daily user sending limit exceeded. a1 - gsmtp', 'policy'],
    [
      'RCPT',
      '550-5.2.1 The user you are trying to contact is receiving mail at a\r\n550-5.2.1 rate that prevents additional messages from being delivered.\r\n550 5.2.1 a1 - gsmtp',
      'policy',
    ],
    [
      'RCPT',
      '550 5.2.122 The recipient has exceeded their limit for the number of messages they can receive per hour',
      'policy',
    ],
    ['RCPT', '550 5.1.1 Maximum credits exceeded', 'policy'],
    ['RCPT', '550 5.1.2 Account suspended', 'policy'],
    ['RCPT', '550 5.1.1 Recipient is on the suppression list: invalid address', 'policy'],
    ['RCPT', '550 5.1.1 límite de envío superado', 'policy'],
    ['RCPT', '550 5.1.1 Envoi bloqué', 'policy'],
    ['RCPT', '550 Invalid address in From', 'policy'],
    ['RCPT', '550 User unknown: calls@example.com (envelope from)', 'policy'],
    ['dot', '550 5.2.1 Content Filter agent quarantined this message', 'policy'],
    ['dot', '550 5.2.0 Message Filtered', 'policy'],
    ['RCPT', '550 5.1.1 Your message looks like spam', 'policy'],
    ['dot', '550 5.1.1 RESOLVER.RST.NotAuthorized; not authorized', 'policy'],
    [
      'RCPT',
      '550 5.4.1 Recipient address rejected: Access denied. [AM6EUR05FT003.eop-eur05.prod.protection.outlook.com]',
      'policy',
    ],
    ['RCPT', '550 5.7.1 unknown recipient', 'policy'],
    ['RCPT', '550 5.7.1 [CS01] Message rejected due to local policy', 'policy'],
    [
      'dot',
      '554 5.7.9 Message not accepted for policy reasons. See https://postmaster.yahooinc.com/error-codes',
      'policy',
    ],
    [
      'dot',
      '550 Rejected by header based Anti-Spoofing policy: calls@example.com - https://community.mimecast.com/docs/DOC-1369#550 [x]',
      'policy',
    ],
    ['RCPT', '550 5.1.1 unknown user: your account is suspended', 'policy'],
    ['RCPT', '550 5.2.1 Mailbox temporarily disabled', 'policy'],
    ['RCPT', '550 5.7.0 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1', 'machine'],
    [
      'RCPT',
      '550 5.1.1 Service unavailable; client host [192.0.2.1] blocked using zen.spamhaus.org',
      'machine',
    ],
    ['RCPT', '554 5.7.1 <ana@example.com>: Relay access denied', 'machine'],
    ['RCPT', '550 5.7.1 Unable to relay', 'machine'],
    ['dot', '550 5.7.606 Access denied, banned sending IP [192.0.2.1]', 'machine'],
    ['CONN', '554 5.7.1 no', 'machine'],
    ['MAIL', '530 5.7.57 Client not authenticated to send mail', 'login'],
    ['RCPT', '550 5.7.1 Invalid credentials for relay', 'login'],
    ['dot', '552 5.2.3 RESOLVER.RST.RecipSizeLimit; message too large for this recipient', 'message'],
    ['dot', '552 5.3.4 Message size exceeds fixed limit', 'message'],
    ['RCPT', '550 5.1.1 message size limit for this mailbox', 'message'],
  ],
  'nobody in particular': [
    ['RCPT', '550 no', 'undecided'],
    // The words of RFC 5321 for any 550.
    ['RCPT', '550 Requested action not taken: mailbox unavailable', 'undecided'],
    ['RCPT', '550 Account inactive', 'undecided'],
    ['RCPT', '550 5.1.1 Payment required: top up your balance', 'undecided'],
    ['RCPT', '550 5.1.2 Domain disabled: unpaid invoices', 'undecided'],
    ['RCPT', '550 5.2.1 Message contains forbidden words', 'undecided'],
    ['RCPT', '550 5.1.1 Your mail server is misconfigured', 'undecided'],
    ['dot', '554 5.1.1 Message could not be delivered. DNS error', 'undecided'],
    ['dot', '554 5.5.0 Requested action not taken: mailbox unavailable (S2017062302)', 'undecided'],
    ['dot', '554 Transaction failed', 'undecided'],
    ['dot', '550 No such user', 'undecided'],
    ['RCPT', '550 #5.1.0 Address rejected.', 'undecided'],
  ],
  'a later attempt': [
    ['RCPT', '450 4.1.1 <ana@example.com>: Recipient address rejected: unverified address', 'busy'],
    ['RCPT', '450 4.2.1 The user you are trying to contact is receiving mail too quickly', 'busy'],
    ['RCPT', '451 4.7.1 Greylisting in action, please come back later', 'busy'],
    ['dot', '454 Throttling failure: Daily message quota exceeded', 'busy'],
    ['dot', '432 4.3.2 STOREDRV.ClientSubmit; sender thread limit exceeded', 'busy'],
    ['MAIL', '452 4.2.2 sending quota', 'busy'],
    ['dot', '421 4.7.0 Try again later, closing connection. - gsmtp', 'busy'],
    ['CONN', '421 Too many concurrent SMTP connections', 'busy'],
  ],
};

const from = 'Callsheet <callsheet@example.com>';
const never = new AbortController().signal;
const stages: Readonly<Record<Stage, SmtpStage>> = {
  CONN: 'greeting',
  MAIL: 'MAIL',
  RCPT: 'RCPT',
  DATA: 'DATA',
  dot: 'reply',
};

let server: TestSmtpServer;
let proxy: SmtpProxy;
let mailer: Mailer;
let refusal: { readonly at: SmtpStage; readonly reply: string };
beforeAll(async () => {
  server = await startSmtpServer({ plain: true });
  proxy = await startSmtpProxy(server.port, (stage) =>
    stage === refusal.at ? { reply: refusal.reply } : 'pass',
  );
  mailer = createSmtpMailer(proxy.url, from, createRedactor());
});
afterAll(async () => {
  mailer.close();
  await proxy.close();
  await server.close();
});

it('at least sixty replies are known', () => {
  expect(Object.values(replies).flat().length).toBeGreaterThanOrEqual(60);
});

describe.each(Object.entries(replies))('of %s', (_, group) => {
  it.each(group)('to %s: %s', async (stage, reply, cause) => {
    refusal = { at: stages[stage], reply };
    if (stage === 'CONN') mailer.close();
    const message = { from, recipient: 'ana@example.com', name: 'x', mime: 'Subject: x\r\n\r\n' };
    const outcome = (await mailer.reach(never)) ?? (await mailer.send(message, never));
    expect(outcome).toEqual({
      cause,
      // A wrong `failed` costs a line in an alert, a wrong `refused` a manager's mail.
      state: cause === 'recipient' ? 'refused' : 'failed',
      reply: reply.replaceAll(/\s+/g, ' '),
    });
  });
});
