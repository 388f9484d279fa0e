/** What breaks for a user, and the change that breaks it: a test of behaviour has to notice. */
export type Broken = {
  readonly promise: string;
  readonly file: string;
  /** Text that occurs once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The file of the test that proves it: the only one that is asked. */
  readonly test: string;
};

/**
 * Forty, and no more: the breaks that harm users before anybody notices. A new one takes the place of another.
 */
export const promises: readonly Broken[] = [
  // These make a figure wrong in silence.
  {
    promise: 'a day is over when its account’s zone says so',
    file: 'src/model/day.ts',
    find: '.toZonedDateTime(timeZone)',
    replace: ".toZonedDateTime('UTC')",
    test: 'test/model/business-day.test.ts',
  },
  {
    promise: 'an integer beyond 2^53 − 1 is never rounded',
    file: 'src/service/response/exact-json.ts',
    find: 'isRounded(token) ?',
    replace: 'false ?',
    test: 'test/service/response/exact-json.test.ts',
  },
  {
    promise: 'the same id twice with differing values: both go to quarantine',
    file: 'src/service/response/parse-records.ts',
    find: 'versions.length === 1',
    replace: 'versions.length > 0',
    test: 'test/service/response/parse-records.test.ts',
  },
  {
    promise: 'a count that can mean two numbers is none',
    file: 'src/service/response/count.ts',
    find: '(?![1-9]\\d{0,2}\\.\\d{3}$)',
    replace: '',
    test: 'test/service/response/count.test.ts',
  },
  {
    promise: 'a count that can’t be read makes the day provisional',
    file: 'src/job/windows/decide.ts',
    find: 'unreadableCounts > 0',
    replace: 'unreadableCounts > 1',
    test: 'test/job/windows/decide.unit.test.ts',
  },
  {
    promise: 'a response that lists less than half of a confirmed day is held, and the day stays',
    file: 'src/job/windows/decide.ts',
    find: 'if (dropped * 2 > current.length)',
    replace: 'if (dropped > current.length)',
    test: 'test/job/windows/decide.unit.test.ts',
  },
  {
    promise: 'of two responses for a day the newer one stays, whichever is loaded first',
    file: 'src/job/windows/load-window.ts',
    find: "order === 'older' ||",
    replace: 'false ||',
    test: 'test/job/windows/load-window.test.ts',
  },
  {
    promise: 'a day settles on its second run date, and not on its first',
    file: 'src/warehouse/ledger/window-entry.ts',
    find: "eb('same_since_run_date', '<', response.runDate)",
    replace: "eb('same_since_run_date', '<=', response.runDate)",
    test: 'test/warehouse/ledger/settled.test.ts',
  },
  {
    promise: 'once a week every day is looked at, back to CATCH_UP_DAYS',
    file: 'src/job/windows/due.ts',
    find: 'isRecent || isWeekly ||',
    replace: 'isRecent ||',
    test: 'test/job/windows/due.unit.test.ts',
  },
  {
    promise: 'a campaign that one account no longer lists stays with another account that lists it',
    file: 'src/warehouse/load/campaign-days.ts',
    find: "eb.and({ account_id: accountId, day }))\n    .where('callset_id', '=', anyOf(change.withdrawn))",
    replace: "eb.and({ day }))\n    .where('callset_id', '=', anyOf(change.withdrawn))",
    test: 'test/warehouse/scene.test.ts',
  },
  {
    promise: 'a client is absent after complete walks on two run dates, and not after two on one',
    file: 'src/warehouse/load/client-walks.ts',
    find: 'missed_run_date < $',
    replace: 'missed_run_date <= $',
    test: 'test/warehouse/load/client-walks.test.ts',
  },
  {
    promise: 'a sum of several days is known only if each of them is',
    file: 'src/warehouse/db/expressions.ts',
    find: '.day) then ',
    replace: '.day) or true then ',
    test: 'test/warehouse/queries/one-sum.test.ts',
  },
  {
    promise: 'a withdrawn campaign is in no figure of a mail',
    file: 'src/warehouse/queries/figures.ts',
    find: ' and d.withdrawn_at is null) c',
    replace: ') c',
    test: 'test/warehouse/queries/one-sum.test.ts',
  },
  {
    promise: 'not reported is not 0: there is no rate of it',
    file: 'src/digest/format.ts',
    find: 'if (part === null || whole === null) return null;',
    replace: 'if (whole === null) return null;',
    test: 'test/digest/format.test.ts',
  },
  {
    promise: 'a manager’s CSV has no campaign of an account that the digest doesn’t have',
    file: 'src/warehouse/queries/figures-rows.ts',
    find: 'where d.account_id = a.id and d.day',
    replace: 'where d.day',
    test: 'test/warehouse/scene-mailed.test.ts',
  },
  {
    promise: 'the week to date begins on its Monday',
    file: 'src/digest/content/totals.ts',
    find: 'addDays(to, 1 - weekdayOf',
    replace: 'addDays(to, 0 - weekdayOf',
    test: 'test/digest/content/totals.test.ts',
  },
  {
    promise: 'the chart of a day has the fourteen days up to it',
    file: 'src/digest/content/totals.ts',
    find: 'addDays(to, -13)',
    replace: 'addDays(to, -12)',
    test: 'test/digest/content/totals.test.ts',
  },
  // These lose a mail, or send one twice.
  {
    promise: 'a digest waits for the days of all of its accounts',
    file: 'src/job/digests/due.ts',
    find: 'accounts.every((account) => isReady(account, input))',
    replace: 'accounts.some((account) => isReady(account, input))',
    test: 'test/job/digests/due.unit.test.ts',
  },
  {
    promise: 'what is as it was mailed is no news',
    file: 'src/job/digests/due.ts',
    find: '  mailed.content !== now.content &&\n',
    replace: '  mailed.content !== null &&\n',
    test: 'test/job/digests/due.unit.test.ts',
  },
  {
    promise: 'the order of the records changes no content hash',
    file: 'src/job/windows/decide.ts',
    find: '    .sort((one, other) => one.callsetId - other.callsetId)\n',
    replace: '',
    test: 'test/job/windows/content-hash.unit.test.ts',
  },
  {
    promise: 'what was skipped by hand stays silent',
    file: 'src/job/digests/due.ts',
    find: 'content === null || content === now.content',
    replace: 'content === now.content',
    test: 'test/job/digests/due.unit.test.ts',
  },
  {
    promise: 'a period that was mailed in part is corrected, however late its rest comes',
    file: 'src/job/digests/due.ts',
    find: 'built.some(({ last }) => isInPart(last))',
    replace: 'false',
    test: 'test/job/digests/due.unit.test.ts',
  },
  {
    promise: 'a digest that nobody got is mailed with the next one',
    file: 'src/warehouse/outbox/periods.ts',
    find: '\n        and (p.mail_id is null or ',
    replace: '\n        and (true or ',
    test: 'test/warehouse/outbox/mails.test.ts',
  },
  {
    promise: 'what a correction had that nobody got, the next mail has',
    file: 'src/warehouse/outbox/periods.ts',
    find: 'and p.mail_id is not null and ',
    replace: 'and p.mail_id is not null or false and ',
    test: 'test/warehouse/outbox/mails.test.ts',
  },
  {
    promise: 'one mailbox gets one mail, however it is spelt',
    file: 'src/config/addresses.ts',
    find: '.toLowerCase();\n}',
    replace: ';\n}',
    test: 'test/config/warnings.test.ts',
  },
  {
    promise: 'each recipient’s Message-ID and To are the delivery’s, not the frozen message’s',
    file: 'src/mail/message.ts',
    find: '{messageId}`',
    replace: '{messageId.slice(1)}`',
    test: 'test/mail/message.test.ts',
  },
  {
    promise: 'a delivery is claimed in the state it was read in',
    file: 'src/warehouse/outbox/deliveries.ts',
    find: "    .where('d.state', '=', delivery.state)\n",
    replace: '',
    test: 'test/warehouse/outbox/deliveries.test.ts',
  },
  {
    promise: 'found `sending` after a crash, a delivery is unknown',
    file: 'src/warehouse/outbox/deliveries.ts',
    find: "state: 'unknown',\n      reply",
    replace: "state: 'failed',\n      reply",
    test: 'test/warehouse/outbox/deliveries.test.ts',
  },
  {
    promise: 'silence after the final dot is unknown, for the message may have arrived',
    file: 'src/mail/smtp-outcome.ts',
    find: 'if (handedOver && ',
    replace: 'if (!handedOver && ',
    test: 'test/mail/smtp-outcome.test.ts',
  },
  {
    promise: 'what may have arrived isn’t sent again by itself',
    file: 'src/warehouse/outbox/deliveries.ts',
    find: "openStates: readonly DeliveryState[] = ['pending', 'failed']",
    replace: "openStates: readonly DeliveryState[] = ['pending', 'failed', 'unknown']",
    test: 'test/warehouse/outbox/deliveries.test.ts',
  },
  {
    promise: 'pruning keeps a message that has still to be delivered',
    file: 'src/warehouse/retention/prune-history.ts',
    find: "d.state in ('pending', 'sending', 'failed') or ",
    replace: '',
    test: 'test/warehouse/retention/prune-history.test.ts',
  },
  {
    promise: 'two processes send no alert twice',
    file: 'src/warehouse/outbox/alerts.ts',
    find: "eb('claimed_at', 'is', null)",
    replace: 'eb.lit(true)',
    test: 'test/warehouse/outbox/alerts.test.ts',
  },
  // These show a secret.
  {
    promise: 'a redirect is not followed, for it would take the token along',
    file: 'src/service/http/request-sender.ts',
    find: "redirect: 'manual'",
    replace: "redirect: 'follow'",
    test: 'test/service/http/retry.test.ts',
  },
  {
    promise: 'no mail of a digest holds a token that a record repeats',
    file: 'src/service/response/parse-response.ts',
    find: "typeof value === 'string' ? redactor.redactValue(value) : value",
    replace: 'value',
    test: 'test/service/response/parse-response.test.ts',
  },
  {
    promise: 'what is archived of an invalid response holds no token',
    file: 'src/service/http/attempt.ts',
    find: 'redactor.redact(body, length)',
    replace: 'body.slice(0, length)',
    test: 'test/service/http/attempt.test.ts',
  },
  {
    promise: 'a token is found in a response however JSON writes it',
    file: 'src/support/decoding.ts',
    find: "kind === 'u' || kind === 'x'",
    replace: 'false',
    test: 'test/support/redaction.test.ts',
  },
  {
    promise: 'a token is replaced in a page of HTML, as the page writes it',
    file: 'src/support/decoding.ts',
    find: 'names.get(name) ?? written',
    replace: 'written',
    test: 'test/support/redaction.test.ts',
  },
  {
    promise: 'a line of the log holds no token',
    file: 'src/support/logger.ts',
    find: 'return redactLine(line, redactor);',
    replace: 'return line;',
    test: 'test/support/logger.integration.test.ts',
  },
  {
    promise: 'what a command ends with holds no token',
    file: 'src/cli/explain.ts',
    find: 'redactor.redact(stack)',
    replace: 'stack',
    test: 'test/cli/program.test.ts',
  },
  {
    promise: 'no message of the YAML reader reaches a person: it may quote a token',
    file: 'src/config/files.ts',
    find: 'new UnusableFile(syntaxError(content, error.linePos?.[0].line ?? 1))',
    replace: 'new UnusableFile(error.message)',
    test: 'test/config/accounts-file.test.ts',
  },
];
