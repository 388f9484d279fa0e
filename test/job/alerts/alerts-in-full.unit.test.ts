import { expect, it } from 'vitest';
import { anyNeedsAction } from '../../../src/job/alerts/diagnose.ts';
import type { AccountState } from '../../../src/job/alerts/state.ts';
import type { ActiveAlert } from '../../../src/model/alert.ts';
import type { ErrorCode } from '../../../src/model/errors.ts';
import { account, completeWalk, diagnosed, incompleteWalk, lastRun, message, ofAccount } from './states.ts';

// What alerts say, to the last word: each sentence, day and step of them is there for somebody who is alone with it.

const firstCaughtUp = '2026-11-07';
const [beforeThat, longBefore] = ['2026-11-06', '2026-03-02'];

/** An alert as text: how grave it is, what it says, what it is about, and what to do. */
function inFull({
  severity,
  key,
  account,
  retried,
  title,
  cause,
  days,
  affects,
  steps,
}: ActiveAlert): string {
  const about = [`of ${account}`, `days ${days.join()}`, `affects ${affects.join()}`].join('; ');
  const typed = steps.map(({ text, command }) => `- ${text}: ${command?.join(' ') ?? 'by hand'}`);
  return [`${severity} ${key}${retried ? ', retried' : ''}`, title, cause, about, ...typed].join('\n');
}
const all = (alerts: readonly ActiveAlert[]) => `\n${alerts.map(inFull).join('\n\n')}\n`;

it('days that are not loaded', () => {
  const missing = (...days: string[]) => all(ofAccount({ missing: days }));
  expect(missing(firstCaughtUp)).toMatchInlineSnapshot(`
    "
    error DAYS_NOT_LOADED/coast, retried
    coast: 2026-11-07 isn't loaded
    No run has loaded it since it was over. The next run tries again.
    of coast; days 2026-11-07; affects 2026-11-07
    - To do it now: run
    "
  `);
  expect(missing(longBefore, beforeThat, firstCaughtUp, '2026-11-19')).toMatchInlineSnapshot(`
    "
    error DAYS_NOT_LOADED/coast
    coast: 4 days from 2026-03-02 to 2026-11-19 aren't loaded
    No run has loaded them since they were over. The next run tries again. 2026-03-02, 2026-11-06 are beyond CATCH_UP_DAYS: no run fetches them any more.
    of coast; days 2026-03-02,2026-11-06,2026-11-07,2026-11-19; affects 2026-03-02,2026-11-06,2026-11-07,2026-11-19
    - To do it now: run
    - To load 2026-03-02: backfill --from 2026-03-02 --to 2026-03-02 --account coast
    - To load 2026-11-06: backfill --from 2026-11-06 --to 2026-11-06 --account coast
    - If the service no longer has those days: status --dismiss DAYS_NOT_LOADED/coast
    "
  `);
  expect(missing(beforeThat)).toMatchInlineSnapshot(`
    "
    error DAYS_NOT_LOADED/coast
    coast: 2026-11-06 isn't loaded
    No run has loaded it since it was over. 2026-11-06 is beyond CATCH_UP_DAYS: no run fetches it any more.
    of coast; days 2026-11-06; affects 2026-11-06
    - To load 2026-11-06: backfill --from 2026-11-06 --to 2026-11-06 --account coast
    - If the service no longer has that day: status --dismiss DAYS_NOT_LOADED/coast
    "
  `);
  expect(missing(longBefore, beforeThat)).toMatchInlineSnapshot(`
    "
    error DAYS_NOT_LOADED/coast
    coast: 2026-03-02, 2026-11-06 aren't loaded
    No run has loaded them since they were over. 2026-03-02, 2026-11-06 are beyond CATCH_UP_DAYS: no run fetches them any more.
    of coast; days 2026-03-02,2026-11-06; affects 2026-03-02,2026-11-06
    - To load 2026-03-02: backfill --from 2026-03-02 --to 2026-03-02 --account coast
    - To load 2026-11-06: backfill --from 2026-11-06 --to 2026-11-06 --account coast
    - If the service no longer has those days: status --dismiss DAYS_NOT_LOADED/coast
    "
  `);
});

it('days that are not loaded are an alert where there was no run, and at the very instant at which one was due', () => {
  const accounts = [account({ missing: ['2026-11-20'] }), account({ name: 'north' })];
  expect(diagnosed({ accounts, lastRun: null })).toHaveLength(1);
  const nextScheduledAt = Temporal.Instant.from('2026-11-22T06:30:00Z');
  const lastBegan = { startedAt: Temporal.Instant.from('2026-11-20T06:30:00Z'), nextScheduledAt };
  const at = (now: string) =>
    diagnosed({ accounts, lastRun: lastRun(lastBegan) }, { now: Temporal.Instant.from(now) });
  expect(at('2026-11-22T06:29:59Z')).toEqual([]);
  expect(at('2026-11-22T06:30:00Z')).toHaveLength(1);
});

it('errors of days', () => {
  const failed = (code: ErrorCode, ...days: string[]) =>
    all(
      ofAccount({ failed: days.map((day) => ({ day, code, detail: `account coast: ${code} on ${day}` })) }),
    );
  expect(failed('SERVICE_UNAVAILABLE', firstCaughtUp)).toMatchInlineSnapshot(`
    "
    error SERVICE_UNAVAILABLE/coast, retried
    coast: service unavailable for 2026-11-07
    account coast: SERVICE_UNAVAILABLE on 2026-11-07. The next run tries again.
    of coast; days 2026-11-07; affects 2026-11-07
    - To do it now: run
    "
  `);
  expect(failed('SERVICE_UNAVAILABLE', beforeThat)).toMatchInlineSnapshot(`
    "
    error SERVICE_UNAVAILABLE/coast
    coast: service unavailable for 2026-11-06
    account coast: SERVICE_UNAVAILABLE on 2026-11-06. 2026-11-06 is beyond CATCH_UP_DAYS: no run fetches it any more.
    of coast; days 2026-11-06; affects 2026-11-06
    - To load 2026-11-06: backfill --from 2026-11-06 --to 2026-11-06 --account coast
    - If the service no longer has that day: status --dismiss SERVICE_UNAVAILABLE/coast
    "
  `);
  expect(failed('REQUEST_REFUSED', longBefore, beforeThat, firstCaughtUp)).toMatchInlineSnapshot(`
    "
    error REQUEST_REFUSED/coast
    coast: request refused for 2026-03-02, 2026-11-06, 2026-11-07
    account coast: REQUEST_REFUSED on 2026-11-07. The next run tries again. 2026-03-02, 2026-11-06 are beyond CATCH_UP_DAYS: no run fetches them any more.
    of coast; days 2026-03-02,2026-11-06,2026-11-07; affects 2026-03-02,2026-11-06,2026-11-07
    - To see what the service says: doctor
    - Then: run
    - To load 2026-03-02: backfill --from 2026-03-02 --to 2026-03-02 --account coast
    - To load 2026-11-06: backfill --from 2026-11-06 --to 2026-11-06 --account coast
    - If the service no longer has those days: status --dismiss REQUEST_REFUSED/coast
    "
  `);
  expect(failed('TOKEN_REFUSED', '2026-11-19', '2026-11-20')).toMatchInlineSnapshot(`
    "
    error TOKEN_REFUSED/coast
    coast: token refused for 2026-11-19, 2026-11-20
    account coast: TOKEN_REFUSED on 2026-11-20. Every run fails with it until somebody replaces the token.
    of coast; days 2026-11-19,2026-11-20; affects 2026-11-19,2026-11-20
    - Write the new token to SIDTOKEN: by hand
    - Then: run
    "
  `);
  expect(failed('INTERNAL', '2026-11-20')).toMatchInlineSnapshot(`
    "
    error INTERNAL/coast, retried
    coast: internal error of Callsheet for 2026-11-20
    account coast: INTERNAL on 2026-11-20. The next run tries again.
    of coast; days 2026-11-20; affects 2026-11-20
    - Report it, with the stack in the log of the run: by hand
    - Then: run
    "
  `);
});

it('errors of two codes, of which each has its own days', () => {
  const day = (day: string, code: ErrorCode) => ({ day, code, detail: `${code} on ${day}` });
  const failed = [
    day('2026-11-18', 'SERVICE_UNAVAILABLE'),
    day('2026-11-19', 'TOKEN_REFUSED'),
    day('2026-11-20', 'SERVICE_UNAVAILABLE'),
  ];
  expect(all(ofAccount({ failed }))).toMatchInlineSnapshot(`
    "
    error TOKEN_REFUSED/coast
    coast: token refused for 2026-11-19
    TOKEN_REFUSED on 2026-11-19. Every run fails with it until somebody replaces the token.
    of coast; days 2026-11-19; affects 2026-11-19
    - Write the new token to SIDTOKEN: by hand
    - Then: run

    error SERVICE_UNAVAILABLE/coast, retried
    coast: service unavailable for 2026-11-18, 2026-11-20
    SERVICE_UNAVAILABLE on 2026-11-20. The next run tries again.
    of coast; days 2026-11-18,2026-11-20; affects 2026-11-18,2026-11-20
    - To do it now: run
    "
  `);
});

it('client lists that were not walked to the end', () => {
  const walked = (changes: Partial<AccountState['walk']>, failed: AccountState['failed'] = []) =>
    all(ofAccount({ walk: { ...incompleteWalk, ...changes }, failed }));
  expect(walked({ completeRunDate: null })).toMatchInlineSnapshot(`
    "
    error WALK_INCOMPLETE/coast, retried
    coast: no complete walk over the client list since 2026-11-18
    page 7 could not be fetched. There is no complete walk over the client list yet; until the next, nobody is marked absent. The next run tries again.
    of coast; days ; affects clients
    - To see what the service says: doctor
    - Then: run
    "
  `);
  expect(walked({ errorCode: 'TOKEN_REFUSED' })).toMatchInlineSnapshot(`
    "
    error TOKEN_REFUSED/coast
    coast: client list refused
    page 7 could not be fetched. Only getClients is refused: campaigns are requested all the same. The last complete walk over the client list is of 2026-11-17; until the next, nobody is marked absent.
    of coast; days ; affects clients
    - Ask the provider to permit getClients, or write another token to SIDTOKEN: by hand
    - Then: run
    - If the account may not list clients: status --dismiss TOKEN_REFUSED/coast
    "
  `);
  const old = [{ day: beforeThat, code: 'SERVICE_UNAVAILABLE', detail: 'the service is down' }] as const;
  expect(walked({ errorCode: 'SERVICE_UNAVAILABLE' }, old)).toMatchInlineSnapshot(`
    "
    error SERVICE_UNAVAILABLE/coast
    coast: service unavailable for the client list, 2026-11-06
    the service is down. The last complete walk over the client list is of 2026-11-17; until the next, nobody is marked absent. The next run tries again. 2026-11-06 is beyond CATCH_UP_DAYS: no run fetches it any more.
    of coast; days 2026-11-06; affects clients,2026-11-06
    - To do it now: run
    - To load 2026-11-06: backfill --from 2026-11-06 --to 2026-11-06 --account coast
    - If the service no longer has that day: status --dismiss SERVICE_UNAVAILABLE/coast
    "
  `);
  const implausible = { ...completeWalk, implausibleMissing: 1, implausibleSince: '2026-11-16' };
  expect(walked(implausible)).toMatchInlineSnapshot(`
    "
    warning CLIENTS_MISSING/coast, retried
    coast: 1 client is missing since 2026-11-16
    That is over half of the list, and more often an error of the service than news, so nobody is marked absent. It is over when a complete walk has them again.
    of coast; days ; affects 2026-11-16
    - To see what the service lists: clients
    - If they are gone: status --dismiss CLIENTS_MISSING/coast
    "
  `);
});

it('responses that are held', () => {
  const reason = 'it lacks 3 of 4 campaigns: 1 campaign, 10 attempts instead of 4 campaigns, 100 attempts';
  const held = (...days: string[]) => all(ofAccount({ held: days.map((day) => ({ day, reason })) }));
  expect(held(firstCaughtUp)).toMatchInlineSnapshot(`
    "
    warning RESPONSE_HELD/coast, retried
    coast: a response for 2026-11-07 is held
    It lacks 3 of 4 campaigns: 1 campaign, 10 attempts instead of 4 campaigns, 100 attempts. The day stays as it is. What a later night brings again is applied by itself.
    of coast; days 2026-11-07; affects 2026-11-07
    - To see what the response for 2026-11-07 would change: run --day 2026-11-07 --account coast --dry-run
    - To apply it now: accept --day 2026-11-07 --account coast
    - If the day is right as it is: status --dismiss RESPONSE_HELD/coast
    "
  `);
  expect(held(beforeThat, firstCaughtUp)).toMatchInlineSnapshot(`
    "
    warning RESPONSE_HELD/coast
    coast: responses for 2026-11-06, 2026-11-07 are held
    2026-11-06: it lacks 3 of 4 campaigns: 1 campaign, 10 attempts instead of 4 campaigns, 100 attempts. 2026-11-07: it lacks 3 of 4 campaigns: 1 campaign, 10 attempts instead of 4 campaigns, 100 attempts. The days stay as they are. What a later night brings again is applied by itself. 2026-11-06 is beyond CATCH_UP_DAYS: no run fetches it any more.
    of coast; days 2026-11-06,2026-11-07; affects 2026-11-06,2026-11-07
    - To see what the response for 2026-11-06 would change: run --day 2026-11-06 --account coast --dry-run
    - To apply it now: accept --day 2026-11-06 --account coast
    - To see what the response for 2026-11-07 would change: run --day 2026-11-07 --account coast --dry-run
    - To apply it now: accept --day 2026-11-07 --account coast
    - If the days are right as they are: status --dismiss RESPONSE_HELD/coast
    "
  `);
  expect(held(longBefore, beforeThat)).toMatchInlineSnapshot(`
    "
    warning RESPONSE_HELD/coast
    coast: responses for 2026-03-02, 2026-11-06 are held
    2026-03-02: it lacks 3 of 4 campaigns: 1 campaign, 10 attempts instead of 4 campaigns, 100 attempts. 2026-11-06: it lacks 3 of 4 campaigns: 1 campaign, 10 attempts instead of 4 campaigns, 100 attempts. The days stay as they are. 2026-03-02, 2026-11-06 are beyond CATCH_UP_DAYS: no run fetches them any more.
    of coast; days 2026-03-02,2026-11-06; affects 2026-03-02,2026-11-06
    - To see what the response for 2026-03-02 would change: run --day 2026-03-02 --account coast --dry-run
    - To apply it now: accept --day 2026-03-02 --account coast
    - To see what the response for 2026-11-06 would change: run --day 2026-11-06 --account coast --dry-run
    - To apply it now: accept --day 2026-11-06 --account coast
    - If the days are right as they are: status --dismiss RESPONSE_HELD/coast
    "
  `);
});

it('responses that may be wrong', () => {
  const suspicious = (...days: AccountState['suspicious']) => all(ofAccount({ suspicious: days }));
  const of = (day: string, reason: AccountState['suspicious'][number]['reason'], detail: string | null) => ({
    day,
    reason,
    detail,
  });
  expect(suspicious(of(firstCaughtUp, 'no calls', null))).toMatchInlineSnapshot(`
    "
    note NO_CALLS/coast, retried
    coast: no calls on 2026-11-07
    There are no calls, on a weekday that usually has some. The next night fetches the day again; if it says the same, that is believed.
    of coast; days 2026-11-07; affects 2026-11-07
    "
  `);
  expect(suspicious(of(beforeThat, 'no calls', null))).toMatchInlineSnapshot(`
    "
    note NO_CALLS/coast
    coast: no calls on 2026-11-06
    There are no calls, on a weekday that usually has some. 2026-11-06 is beyond CATCH_UP_DAYS: no run fetches it any more.
    of coast; days 2026-11-06; affects 2026-11-06
    "
  `);
  expect(
    suspicious(
      of(beforeThat, 'unreported', 'live_answers'),
      of(firstCaughtUp, 'unreported', 'busies'),
      of(firstCaughtUp, 'unreported', 'connects'),
      of('2026-11-18', 'unreported', 'attempts'),
    ),
  ).toMatchInlineSnapshot(`
    "
    warning RESPONSE_SUSPICIOUS/coast/unreported
    coast: figures of 2026-11-06, 2026-11-07, 2026-11-18 may be low
    Most campaigns report no live answers, busies and connects: sums and rates are without them. Every night fetches the days again, and corrects the mail once it is whole. 2026-11-06 is beyond CATCH_UP_DAYS: no run fetches it any more.
    of coast; days 2026-11-06,2026-11-07,2026-11-18; affects 2026-11-06,2026-11-07,2026-11-18
    - To see what the service says now: campaigns --from 2026-11-06 --to 2026-11-18
    - If it is right: status --dismiss RESPONSE_SUSPICIOUS/coast/unreported
    "
  `);
  expect(
    suspicious(of('2026-11-18', 'notice', 'partial'), of('2026-11-20', 'notice', 'late')),
  ).toMatchInlineSnapshot(`
    "
    warning RESPONSE_SUSPICIOUS/coast/notice, retried
    coast: figures of 2026-11-18, 2026-11-20 may be low
    The service added: "partial" and "late". The next night fetches the days again; if it says the same, that is believed.
    of coast; days 2026-11-18,2026-11-20; affects 2026-11-18,2026-11-20
    - To see what the service says now: campaigns --from 2026-11-18 --to 2026-11-20
    - If it is right: status --dismiss RESPONSE_SUSPICIOUS/coast/notice
    "
  `);
  expect(suspicious(of(longBefore, 'counts', 'live_campaigns is 20, with 10 listed'))).toMatchInlineSnapshot(`
    "
    warning RESPONSE_SUSPICIOUS/coast/counts
    coast: figures of 2026-03-02 may be low
    live campaigns is 20, with 10 listed: campaigns are missing. 2026-03-02 is beyond CATCH_UP_DAYS: no run fetches it any more.
    of coast; days 2026-03-02; affects 2026-03-02
    - To see what the service says now: campaigns --from 2026-03-02 --to 2026-03-02
    - If it is right: status --dismiss RESPONSE_SUSPICIOUS/coast/counts
    "
  `);
});

it('records that could not be read', () => {
  const group = (day: string | null, reason: string, records = 1, attempts = 0) => ({
    day,
    reason,
    records,
    attempts,
    example: `{"example of": "${reason}"}`,
  });
  const quarantined = (...groups: AccountState['quarantined']) => all(ofAccount({ quarantined: groups }));
  expect(quarantined(group(null, 'id is missing'))).toMatchInlineSnapshot(`
    "
    warning RECORDS_QUARANTINED/coast, retried
    coast: 1 record of the client list couldn't be read
    What it says may be missing from the figures. id is missing. For example: {"example of": "id is missing"}
    of coast; days ; affects clients id is missing
    - Send the record to the provider of the service, or update Callsheet if a newer version reads it: by hand
    - If nothing can be done: status --dismiss RECORDS_QUARANTINED/coast
    "
  `);
  expect(quarantined(group('2026-11-20', 'one', 1, 1))).toMatchInlineSnapshot(`
    "
    warning RECORDS_QUARANTINED/coast, retried
    coast: 1 record of 2026-11-20 couldn't be read
    What it says may be missing from the figures. one. For example: {"example of": "one"}
    of coast; days 2026-11-20; affects 2026-11-20 one
    - Send the record to the provider of the service, or update Callsheet if a newer version reads it: by hand
    - After an update: replay --from 2026-11-20 --to 2026-11-20 --reread
    - If nothing can be done: status --dismiss RECORDS_QUARANTINED/coast
    "
  `);
  expect(
    quarantined(
      group('2026-11-20', 'one', 2, 5),
      group('2026-11-18', 'two', 1, 7),
      group('2026-11-18', 'one'),
      group('2026-11-19', 'three.'),
    ),
  ).toMatchInlineSnapshot(`
    "
    warning RECORDS_QUARANTINED/coast, retried
    coast: 5 records of 2026-11-18 to 2026-11-20 couldn't be read
    What they say may be missing from the figures. one; two; three. For example: {"example of": "one"}
    of coast; days 2026-11-18,2026-11-19,2026-11-20; affects 2026-11-20 one,2026-11-18 two,2026-11-18 one,2026-11-19 three.
    - Send the record to the provider of the service, or update Callsheet if a newer version reads it: by hand
    - After an update: replay --from 2026-11-18 --to 2026-11-20 --reread
    - If nothing can be done: status --dismiss RECORDS_QUARANTINED/coast
    "
  `);
  expect(
    quarantined(
      group('2026-11-20', 'one'),
      group(null, 'two'),
      group('2026-11-20', 'three'),
      group('2026-11-20', 'four'),
    ),
  ).toMatchInlineSnapshot(`
    "
    warning RECORDS_QUARANTINED/coast, retried
    coast: 4 records of the client list, 2026-11-20 couldn't be read
    What they say may be missing from the figures. one; two; three; …. For example: {"example of": "one"}
    of coast; days 2026-11-20; affects 2026-11-20 one,clients two,2026-11-20 three,2026-11-20 four
    - Send the record to the provider of the service, or update Callsheet if a newer version reads it: by hand
    - After an update: replay --from 2026-11-20 --to 2026-11-20 --reread
    - If nothing can be done: status --dismiss RECORDS_QUARANTINED/coast
    "
  `);
});

it('mail that did not arrive', () => {
  const deliveries = [
    message({ state: 'failed', reply: '450 wait', day: '2026-11-19' }),
    message({ state: 'pending', reply: null, recipient: 'ben@example.com' }),
  ];
  expect(all(diagnosed({ deliveries }))).toMatchInlineSnapshot(`
    "
    error MAIL_WAITING, retried
    2 messages wait, up to Campaigns of 2026-11-20
    No attempt yet. The next run tries again.
    of null; days ; affects Campaigns of 2026-11-19 to ana@example.com,Campaigns of 2026-11-20 to ben@example.com
    - To check the mail server: doctor
    - To do it now: run
    "
  `);
  expect(all(diagnosed({ deliveries: [deliveries[0]!] }))).toMatchInlineSnapshot(`
    "
    error MAIL_WAITING, retried
    1 message waits, up to Campaigns of 2026-11-19
    450 wait. The next run tries again.
    of null; days ; affects Campaigns of 2026-11-19 to ana@example.com
    - To check the mail server: doctor
    - To do it now: run
    "
  `);
  const settled = [
    message({ reply: null, day: '2026-11-19' }),
    message({ state: 'unknown', reply: 'it fell silent.' }),
    message({ day: '2026-11-20', digest: 'Weekly' }),
  ];
  expect(all(diagnosed({ deliveries: settled }))).toMatchInlineSnapshot(`
    "
    error MAIL_REFUSED/ana@example.com
    Campaigns of 2026-11-19 and Weekly of 2026-11-20 to ana@example.com: refused
    the reply. There is no further attempt.
    of null; days ; affects Campaigns of 2026-11-19,Weekly of 2026-11-20
    - Correct the address in the settings, or the mail server: by hand
    - To send it again: digest --day 2026-11-19 --digest Campaigns --to ana@example.com --resend
    - To send it again: digest --day 2026-11-20 --digest Weekly --to ana@example.com --resend
    - If it need not be sent: status --dismiss MAIL_REFUSED/ana@example.com

    error MAIL_UNKNOWN/ana@example.com
    Campaigns of 2026-11-20 to ana@example.com: unknown
    it fell silent. It may have arrived, so there is no further attempt by itself.
    of null; days ; affects Campaigns of 2026-11-20
    - Ask the recipient whether it has arrived: by hand
    - To send it again: digest --day 2026-11-20 --digest Campaigns --to ana@example.com --resend
    - If it has arrived: status --dismiss MAIL_UNKNOWN/ana@example.com
    "
  `);
});

it('mail that waits for another reason than that of another digest, or of another day', () => {
  const error = {
    digest: 'Campaigns',
    every: 'day',
    day: '2026-11-20',
    code: 'INTERNAL',
    detail: 'it broke',
    isBuilt: true,
  } as const;
  const cause = (changes: Partial<typeof error> | { day: string } | { digest: string }) =>
    diagnosed({
      deliveries: [message({ state: 'pending', reply: null })],
      lastRun: lastRun({ digestErrors: [{ ...error, ...changes }] }),
    })[0]!.cause;
  expect(cause({})).toBe(
    'digest Campaigns of 2026-11-20 to ana@example.com: it broke. The next run tries again.',
  );
  for (const other of [{ day: '2026-11-19' }, { digest: 'Weekly' }])
    expect(cause(other)).toBe('No attempt yet. The next run tries again.');
});

it('digests that went out incomplete', () => {
  const incomplete = [
    { name: 'Campaigns', every: 'day' as const, day: '2026-11-20', lacking: ['Coast', 'North'] },
  ];
  expect(all(diagnosed({ incomplete }))).toMatchInlineSnapshot(`
    "
    note DIGEST_INCOMPLETE/Campaigns/2026-11-20, retried
    Campaigns of 2026-11-20 went out incomplete: Coast and North missing
    A corrected one follows by itself once the day is whole.
    of null; days ; affects 2026-11-20
    "
  `);
});

it('runs', () => {
  const ran = (changes: Parameters<typeof lastRun>[0]) => all(diagnosed({ lastRun: lastRun(changes) }));
  expect(all(diagnosed({ accounts: [], lastRun: null }))).toMatchInlineSnapshot(`
    "
    warning NOTHING_LOADED, retried
    No nightly run yet
    The first one loads yesterday.
    of null; days ; affects everything
    - To do it now: run
    "
  `);
  expect(ran({ state: 'interrupted' })).toMatchInlineSnapshot(`
    "
    warning RUN_INTERRUPTED, retried
    The last nightly run was interrupted
    What it had loaded stays. The next run does the rest.
    of null; days ; affects run 7
    - To do it now: run
    "
  `);
  const ended = (code: ErrorCode) => ran({ error: { code, detail: `ended by ${code}` } });
  expect(ended('SCHEMA_TOO_OLD')).toMatchInlineSnapshot(`
    "
    error SCHEMA_TOO_OLD, retried
    The last nightly run ended: the schema is not that of this version
    ended by SCHEMA_TOO_OLD. The next run tries again.
    of null; days ; affects run
    - To bring the schema to this version: migrate
    - Then: run
    "
  `);
  expect(ended('INTERNAL')).toMatchInlineSnapshot(`
    "
    error INTERNAL, retried
    The last nightly run ended: internal error of Callsheet
    ended by INTERNAL. The next run tries again.
    of null; days ; affects run
    - Report it, with the stack in the log of the run: by hand
    - To do it now: run
    "
  `);
  expect(ended('WAREHOUSE_UNAVAILABLE')).toMatchInlineSnapshot(`
    "
    error WAREHOUSE_UNAVAILABLE, retried
    The last nightly run ended: database unavailable
    ended by WAREHOUSE_UNAVAILABLE. The next run tries again.
    of null; days ; affects run
    - To see what is wrong: doctor
    - Then: run
    "
  `);
  const unbuilt = (day: string, digest = 'Campaigns') =>
    ({
      digest,
      every: 'day',
      day,
      code: 'INTERNAL',
      detail: `${digest} of ${day} broke`,
      isBuilt: false,
    }) as const;
  const digestErrors = [unbuilt('2026-11-20'), unbuilt('2026-11-19'), unbuilt('2026-11-20', 'Weekly')];
  expect(ran({ digestErrors })).toMatchInlineSnapshot(`
    "
    error INTERNAL/Campaigns/digest, retried
    Campaigns of 2026-11-19, 2026-11-20 wasn't sent: internal error of Callsheet
    Campaigns of 2026-11-19 broke. The next run tries again.
    of null; days ; affects 2026-11-19,2026-11-20
    - To do it now: digest --day 2026-11-19 --digest Campaigns
    - To do it now: digest --day 2026-11-20 --digest Campaigns

    error INTERNAL/Weekly/digest, retried
    Weekly of 2026-11-20 wasn't sent: internal error of Callsheet
    Weekly of 2026-11-20 broke. The next run tries again.
    of null; days ; affects 2026-11-20
    - To do it now: digest --day 2026-11-20 --digest Weekly
    "
  `);
});

it('alerts of one severity come by what no run mends, then by their codes', () => {
  const alerts = diagnosed({
    accounts: [
      account({ held: [{ day: firstCaughtUp, reason: null }], missing: [beforeThat], walk: incompleteWalk }),
    ],
    deliveries: [message(), message({ state: 'unknown' })],
  });
  expect(alerts.map(({ severity, retried, code }) => `${severity} ${retried} ${code}`)).toEqual([
    'error false DAYS_NOT_LOADED',
    'error false MAIL_REFUSED',
    'error false MAIL_UNKNOWN',
    'error true WALK_INCOMPLETE',
    'warning true RESPONSE_HELD',
  ]);
});

it('somebody is needed as soon as one alert is more than a note', () => {
  const note = ofAccount({ suspicious: [{ day: '2026-11-20', reason: 'no calls', detail: null }] });
  const held = ofAccount({ held: [{ day: '2026-11-20', reason: null }] });
  expect([[], note, held, [...note, ...held]].map(anyNeedsAction)).toEqual([false, false, true, true]);
});

it('what nobody acknowledged is not dismissed', () => {
  const recorded = new Map([['NOTHING_LOADED', { since: '2026-11-20', dismissed: [] }]]);
  expect(diagnosed({ accounts: [], lastRun: null, recorded })).toMatchObject([
    { since: '2026-11-20', dismissed: false },
  ]);
});

it('days in a row are loaded by one command, which names both ends', () => {
  const [alert] = ofAccount({ missing: ['2026-11-05', beforeThat] });
  expect(alert!.steps[0]).toEqual({
    text: 'To load 2026-11-05 to 2026-11-06',
    command: ['backfill', '--from', '2026-11-05', '--to', '2026-11-06', '--account', 'coast'],
  });
});

it('where no run is known, mail that waits says so, and no account that is new is an alert beside a run', () => {
  const waiting = [message({ state: 'pending', reply: null })];
  const cause = 'No attempt yet. The next run tries again.';
  expect(diagnosed({ deliveries: waiting, lastRun: null })).toMatchObject([{ code: 'MAIL_WAITING', cause }]);
  expect(diagnosed({ accounts: [account({ since: null })] })).toEqual([]);
});
