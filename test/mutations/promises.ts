/** A promise of the design, a change that breaks it, and the tests that must notice. */
export type Broken = {
  readonly promise: string;
  readonly file: string;
  /** Text that occurs once in the file. */
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
};

const decideLoad = { file: 'src/job/windows/decide.ts', tests: ['test/job/windows/decide.unit.test.ts'] };
const deliveries = {
  file: 'src/warehouse/outbox/deliveries.ts',
  tests: ['test/warehouse/outbox/deliveries.test.ts'],
};
const entry = {
  file: 'src/warehouse/ledger/window-entry.ts',
  tests: ['test/job/windows/load-window.test.ts'],
};
const redaction = { file: 'src/support/redaction.ts', tests: ['test/support/redaction.test.ts'] };
const csv = { file: 'src/digest/render/csv.ts', tests: ['test/digest/render/csv.test.ts'] };
const windowsDue = { file: 'src/job/windows/due.ts', tests: ['test/job/windows/due.unit.test.ts'] };
const digestsDue = { file: 'src/job/digests/due.ts', tests: ['test/job/digests/due.unit.test.ts'] };
const corrections = {
  file: 'src/job/digests/due.ts',
  tests: ['test/job/digests/corrections-due.unit.test.ts'],
};
const walk = {
  file: 'src/service/paging/check-page.ts',
  tests: ['test/service/paging/walk-verdicts.test.ts'],
};

const circuitBreaker = {
  file: 'src/job/run/circuit-breaker.ts',
  tests: ['test/job/run/circuit-breaker.unit.test.ts'],
};

const scene = ['test/warehouse/scene.test.ts'];
const loadWindow = { file: 'src/job/windows/load-window.ts', tests: scene };
const explanation = {
  file: 'src/cli/explain.ts',
  tests: ['test/cli/program.test.ts', 'test/cli/exit-codes.test.ts'],
};
const tokenInRecords = ['test/security/token-in-records.test.ts'];

/** Promises in the order of a run. */
export const promises: readonly Broken[] = [
  {
    promise:
      'a run waits for its first scheduled time, and that at the very instant of the installation is one',
    file: 'src/job/run-scheduled.ts',
    find: 'isAhead(installedAt, scheduledFor)',
    replace: 'Temporal.Instant.compare(Temporal.Instant.from(installedAt), scheduledFor) >= 0',
    tests: ['test/job/decide-run.unit.test.ts'],
  },
  {
    promise: 'RETRY_FOR ends at the next scheduled time at the latest',
    file: 'src/job/run/retries.ts',
    find: 'if (nextScheduled === null || Temporal.Instant.compare(until, nextScheduled) <= 0) return until;',
    replace: 'if (nextScheduled !== undefined) return until;',
    tests: ['test/job/run/retries.unit.test.ts'],
  },
  {
    promise: 'an older version refuses a newer schema',
    file: 'src/warehouse/schema/migrate.ts',
    find: 'if (unknown.length > 0) throw schemaTooNew(unknown);',
    replace: '',
    tests: ['test/cli/newer-schema.test.ts'],
  },
  {
    promise: 'while a run holds the lock, another one ends instead of waiting',
    file: 'src/warehouse/ledger/run-lock.ts',
    find: ' in exclusive mode nowait',
    replace: ' in exclusive mode',
    tests: ['test/warehouse/ledger/run-lock.test.ts'],
  },
  {
    promise: 'two runs never hold the lock at once',
    file: 'src/warehouse/ledger/run-lock.ts',
    find: ' in exclusive mode nowait',
    replace: ' in access share mode nowait',
    tests: ['test/warehouse/ledger/run-lock.test.ts'],
  },
  {
    promise: 'a day is over when its account’s zone says so',
    file: 'src/model/day.ts',
    find: '.toZonedDateTime(timeZone)',
    replace: ".toZonedDateTime('UTC')",
    tests: ['test/model/business-day.test.ts'],
  },
  {
    promise: 'an undated run syncs a due window at most once a run date',
    ...windowsDue,
    find: '  if (entry.syncedRunDate === runDate) return false;\n',
    replace: '',
  },
  {
    promise: 'the last LOOKBACK_DAYS are due, and not one more',
    ...windowsDue,
    find: 'addDays(last, -lookbackDays)',
    replace: 'addDays(last, -lookbackDays - 1)',
  },
  {
    promise: 'nothing before `since` is due, and `since` is',
    ...windowsDue,
    find: 'first > earliest ? first : earliest',
    replace: 'first > earliest ? addDays(first, 1) : earliest',
  },
  {
    promise: 'the ledger that is read since a day has that day',
    file: 'src/warehouse/ledger/ledger.ts',
    find: ".where('w.day', '>=', since)",
    replace: ".where('w.day', '>', since)",
    tests: ['test/warehouse/ledger/since.test.ts'],
  },
  {
    promise: 'the coverage that is read since a day has that day',
    file: 'src/warehouse/queries/coverage.ts',
    find: ".where('c.day', '>=', since)",
    replace: ".where('c.day', '>', since)",
    tests: ['test/warehouse/ledger/since.test.ts'],
  },
  {
    promise: 'a backfill lowers `since`, and never raises it',
    file: 'src/warehouse/ledger/accounts.ts',
    find: "eb('since', '>', day)",
    replace: "eb('since', '<>', day)",
    tests: ['test/warehouse/ledger/since.test.ts'],
  },
  {
    promise: 'a run heals the first day that is expected of an account',
    file: 'src/job/windows/sync-window.ts',
    find: 'day >= account.since',
    replace: 'day > account.since',
    tests: ['test/job/first-day.test.ts'],
  },
  {
    promise: 'a day settles on its second run date, and not on its first',
    ...windowsDue,
    find: 'syncedRunDate > sameSinceRunDate',
    replace: 'syncedRunDate >= sameSinceRunDate',
  },
  {
    promise: 'a day beyond CATCH_UP_DAYS when it is synced is settled',
    ...windowsDue,
    find: 'catchUpLeft <= 0',
    replace: 'catchUpLeft < 0',
  },
  {
    promise: 'a 429 of one request holds the others back',
    file: 'src/service/http/attempt.ts',
    find: 'if (error.retryNow) pauseRequests(status, headers, context);',
    replace: '',
    tests: ['test/service/http/retry.test.ts'],
  },
  {
    promise: 'a 429 holds back every process that shares the rate',
    file: 'src/service/http/shared-rate.ts',
    find: 'postpone(milliseconds).catch(() => {});',
    replace: '',
    tests: ['test/service/http/shared-rate.test.ts'],
  },
  {
    promise: 'a refused token never counts towards giving up an operation',
    ...circuitBreaker,
    find: "if (error?.code === 'TOKEN_REFUSED') return;",
    replace: '',
  },
  {
    promise: 'two accounts for which the service is down do not end an operation for all',
    ...circuitBreaker,
    find: 'if (isOfMany && inARow',
    replace: 'if (inARow',
  },
  {
    promise: 'responses that are read or loaded have a bound together, and the oldest is read on',
    file: 'src/service/http/bytes-in-flight.ts',
    find: 'while (total > maxBytes && open.values().next().value !== held) await released.promise;',
    replace: '',
    tests: ['test/service/http/bytes-in-flight.test.ts'],
  },
  {
    promise: 'slow client lists leave half of the requests to campaigns',
    file: 'src/service/http/rate-limiter.ts',
    find: 'Math.ceil(concurrency / 2)',
    replace: 'concurrency',
    tests: ['test/service/http/rate-limiter.test.ts'],
  },
  {
    promise: 'accounts with the same campaigns are one set, whatever the day',
    file: 'src/warehouse/queries/same-campaigns.ts',
    find: 'const all = [...shared, set];',
    replace: 'const all = [set];',
    tests: ['test/warehouse/queries/same-campaigns.test.ts'],
  },
  {
    promise: 'a redirect is not followed, for it would take the token along',
    file: 'src/service/http/request-sender.ts',
    find: "redirect: 'manual'",
    replace: "redirect: 'follow'",
    tests: ['test/service/http/retry.test.ts', 'test/service/secrecy.test.ts'],
  },
  {
    promise: 'what is archived of an invalid response holds no token',
    file: 'src/service/http/attempt.ts',
    find: 'redactor.redact(body, length)',
    replace: 'body.slice(0, length)',
    tests: ['test/service/secrecy.test.ts'],
  },
  {
    promise: 'an integer beyond 2^53 − 1 is never rounded',
    file: 'src/service/response/exact-json.ts',
    find: 'JSON.parse(text, exactValue)',
    replace: 'JSON.parse(text)',
    tests: ['test/service/response/exact-json.test.ts'],
  },
  {
    promise: 'the same id twice with differing values: both go to quarantine',
    file: 'src/service/response/parse-records.ts',
    find: 'if (versions.length === 1) records.push(toRecord(valid));',
    replace: 'if (versions.length > 0) records.push(toRecord(valid));',
    tests: ['test/service/response/parse-records.test.ts'],
  },
  {
    promise: 'an error field beside an empty list makes the response none',
    file: 'src/service/response/envelope.ts',
    find: "  if (errors.length > 0) return none('INVALID_RESPONSE', errors);\n",
    replace: '',
    tests: ['test/service/response/envelope.test.ts'],
  },
  {
    promise: 'a walk in which a client is on two pages proves nothing',
    ...walk,
    find: 'if (known.length > 0) return changed',
    replace: 'if (known.length < 0) return changed',
  },
  {
    promise: 'a short page before the last speaks against a walk',
    ...walk,
    find: 'if (page.rows < limit && !isLast)',
    replace: 'if (page.rows < limit && isLast)',
  },
  {
    promise: 'pages that fail don’t add up over a walk, as long as others come between',
    file: 'src/service/paging/walk-clients.ts',
    find: 'fruitless = walk.ids.size > before ? 0 : fruitless + 1;',
    replace: 'fruitless = walk.ids.size > before ? fruitless : fruitless + 1;',
    tests: ['test/service/paging/failed-pages.test.ts'],
  },
  {
    promise: 'a client is absent after complete walks on two run dates, and not after two on one',
    file: 'src/warehouse/load/client-walks.ts',
    find: 'missed_run_date < $',
    replace: 'missed_run_date <= $',
    tests: ['test/warehouse/load/client-walks.test.ts'],
  },
  {
    promise: 'a response that would take most of a day away is held, and the day stays',
    ...decideLoad,
    find: 'if (because !== null && !confirmed) return',
    replace: 'if (because === null && !confirmed) return',
  },
  {
    promise: 'a response whose records can’t be read isn’t an empty one',
    ...decideLoad,
    find: 'if (records.length + rejects.length === 0)',
    replace: 'if (records.length === 0)',
  },
  {
    promise: 'zeros beside a record that can’t be read aren’t held',
    ...decideLoad,
    find: 'current.some(hasCalls) && rejects.length === 0 && !records.some(hasCalls)',
    replace: 'current.some(hasCalls) && !records.some(hasCalls)',
  },
  {
    promise: 'dropping over half of the rows is held, half is not',
    ...decideLoad,
    find: 'dropped * 2 > current.length',
    replace: 'dropped * 2 >= current.length',
  },
  {
    promise: 'what is held is applied when it comes again on a later run date, not on the same',
    ...decideLoad,
    find: 'current.heldRunDate < response.runDate',
    replace: 'current.heldRunDate <= response.runDate',
  },
  {
    promise: 'the order of the records changes no content hash',
    file: 'src/job/windows/decide.ts',
    find: '    .sort((one, other) => one.callsetId - other.callsetId)\n',
    replace: '',
    tests: ['test/job/windows/content-hash.unit.test.ts'],
  },
  {
    promise: 'a changed name updates in place, and restates nothing',
    file: 'src/job/windows/compare.ts',
    find: 'return sameCounts(row, record) ? [] : [{',
    replace: 'return sameCounts(row, record) && row.campaign === record.campaign ? [] : [{',
    tests: ['test/job/windows/compare.unit.test.ts'],
  },
  {
    promise: 'of two responses requested at one instant the second is stale',
    ...loadWindow,
    find: "entry.response !== 'newer'",
    replace: "entry.response === 'older'",
    tests: entry.tests,
  },
  {
    promise: 'a provisional day that becomes final with the same counts isn’t settled by that',
    ...entry,
    find: "eb.or([eb('content_hash', 'is distinct from', entry.contentHash), eb('state', '<>', 'loaded')])",
    replace: "eb('content_hash', 'is distinct from', entry.contentHash)",
  },
  {
    promise: 'a digest waits for the days of all of its accounts',
    ...digestsDue,
    find: '    accounts.every(\n      (account) =>\n        ready.has',
    replace: '    accounts.some(\n      (account) =>\n        ready.has',
  },
  {
    promise: 'a digest that has gained an account isn’t corrected',
    ...corrections,
    find: 'accounts.length === reported.length && ',
    replace: '',
  },
  {
    promise: 'a change in percent is rounded',
    file: 'src/digest/format.ts',
    find: 'signed(now / reference - 1, changes)',
    replace: 'signed(Math.trunc(100 * (now / reference - 1)) / 100, changes)',
    tests: ['test/digest/format.test.ts'],
  },
  {
    promise: 'not reported is not 0: there is no rate of it',
    file: 'src/digest/format.ts',
    find: 'part === null || whole === null || whole === 0',
    replace: 'whole === null || whole === 0',
    tests: ['test/digest/format.test.ts'],
  },
  {
    promise: 'a cell with a full-width ＠ after a blank is no formula',
    ...csv,
    find: '[=+\\-@＝＋－＠]',
    replace: '(?:[=+\\-@＝＋－]|(?<!\\s)＠)',
  },
  {
    promise: 'spreadsheets read the CSV as UTF-8',
    ...csv,
    find: '\\ufeff$',
    replace: '$',
  },
  {
    promise: 'a delivery is claimed in the state it was read in',
    ...deliveries,
    find: "    .where('d.state', '=', delivery.state)\n",
    replace: '',
  },
  {
    promise: 'what was skipped or claimed meanwhile isn’t noted as unreached',
    ...deliveries,
    find: "    .where('delivery_id', '=', anyOf(ids))\n    .where('state', 'in', openStates)\n",
    replace: "    .where('delivery_id', '=', anyOf(ids))\n",
  },
  {
    promise: 'found `sending` after a crash, a delivery is unknown',
    ...deliveries,
    find: "set({ state: 'unknown', reply: 'the run ended while sending'",
    replace: "set({ state: 'failed', reply: 'the run ended while sending'",
  },
  {
    promise: 'silence after the final dot is unknown, and isn’t sent again',
    file: 'src/mail/smtp-outcome.ts',
    find: 'if (handedOver && ',
    replace: 'if (!handedOver && ',
    tests: ['test/mail/smtp.test.ts'],
  },
  {
    promise: 'each recipient’s Message-ID and To are the delivery’s, not the frozen message’s',
    file: 'src/mail/message.ts',
    find: '    messageId,\n',
    replace: '',
    tests: ['test/mail/message.test.ts'],
  },
  {
    promise: 'where several exit codes apply, what a retry can’t heal wins',
    file: 'src/model/exit-code.ts',
    find: '  exitCode.tokenRefused,\n  exitCode.unavailable,\n  exitCode.runAgain,\n',
    replace: '  exitCode.runAgain,\n  exitCode.unavailable,\n  exitCode.tokenRefused,\n',
    tests: ['test/model/errors.test.ts'],
  },
  {
    promise: 'a Host that merely ends with an allowed name is refused',
    file: 'src/server/guard.ts',
    find: 'names.includes(host)',
    replace: 'names.some((name) => host.endsWith(name))',
    tests: ['test/server/app.test.ts'],
  },
  ...["'&': '&amp;'", "'<': '&lt;'", "'>': '&gt;'", `'"': '&quot;'`].map((sign) => ({
    promise: `a token with ${sign[1]} is replaced in a page of HTML`,
    ...redaction,
    find: `  ${sign},\n`,
    replace: '',
  })),
  {
    promise: 'what a complete walk of one account missed stays pending while others are walked',
    file: 'src/warehouse/load/client-walks.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: part of the source
    find: 'where a.account_id = ${accountId} and c.account_id',
    replace: 'where c.account_id',
    tests: ['test/warehouse/load/client-walks.test.ts'],
  },
  {
    promise: 'a second run on a run date finds nothing to do',
    ...entry,
    find: '      synced_run_date: entry.runDate,\n      failed_at: null,\n      failure: null,\n      failure_code: null,\n      held_hash: null',
    replace: '      failed_at: null,\n      failure: null,\n      failure_code: null,\n      held_hash: null',
    tests: scene,
  },
  {
    promise: 'what is loaded or held is archived in the same transaction',
    ...loadWindow,
    find: '  await archiveResponse(\n    transaction,\n    { ...window, bodyKept },',
    replace: '  await (async (..._) => {})(\n    transaction,\n    { ...window, bodyKept },',
  },
  {
    promise: 'what was held is held in a replay',
    file: 'src/job/replay.ts',
    find: "decision === 'held'",
    replace: 'false',
    tests: scene,
  },
  {
    promise: '`accept` applies what is held',
    ...decideLoad,
    find: 'response.accepted || (current',
    replace: '(current',
  },
  {
    promise: '`accept` applies the response that is held, and no other',
    ...decideLoad,
    find: 'current.heldHash === response.contentHash &&',
    replace: '',
  },
  {
    promise: 'pruning keeps a message that has still to be delivered',
    file: 'src/warehouse/retention/prune-history.ts',
    find: "d.state in ('pending', 'sending', 'failed') or ",
    replace: '',
    tests: ['test/warehouse/retention/prune-history.test.ts'],
  },
  {
    promise: '`forget` erases the responses of the account, too',
    file: 'src/warehouse/retention/forget-account.ts',
    find: "if (table === 'etl.responses') await eraseBodies();",
    replace: '',
    tests: ['test/warehouse/scene-mailed.test.ts'],
  },
  {
    promise: 'a line of the log holds no token',
    file: 'src/support/logger.ts',
    find: 'return redactLine(line, redactor);',
    replace: 'return line;',
    tests: ['test/support/logger.integration.test.ts'],
  },
  {
    promise: 'an alert holds no token',
    file: 'src/job/alerts/send-alerts.ts',
    find: 'cause: redact(alert.cause),',
    replace: '',
    tests: ['test/job/alerts/send-alerts.test.ts'],
  },
  {
    promise: 'what a command ends with holds no token',
    ...explanation,
    find: 'redactor.redact(stack)',
    replace: 'stack',
  },
  {
    promise: 'nor does an error of a file or a port',
    ...explanation,
    find: 'redactor.redact(describeFileError(error))',
    replace: 'describeFileError(error)',
  },
  {
    promise: 'each outage of the database is alerted, and not the first one alone',
    file: 'src/job/run-scheduled.ts',
    find: '      alerted = false;\n',
    replace: '',
    tests: ['test/job/run-scheduled.test.ts'],
  },
  {
    promise: 'the lock is free between a run and its retry',
    file: 'src/job/run/run.ts',
    find: '    await lock.release();\n',
    replace: '',
    tests: ['test/job/retry-lock.test.ts'],
  },
  {
    promise: 'no mail of a digest holds a token that a record repeats',
    file: 'src/service/response/parse-response.ts',
    find: "if (typeof value === 'string') return redactor.redactValue(value);",
    replace: "if (typeof value === 'string') return value;",
    tests: tokenInRecords,
  },
  {
    promise: 'no page of the operator holds a token that stands beside the records',
    file: 'src/service/response/parse-response.ts',
    find: 'notice: notice && excerpt(notice, redactor)',
    replace: 'notice',
    tests: tokenInRecords,
  },
];
