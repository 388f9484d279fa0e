import type { AlertCode } from '../../../src/job/alerts/conditions/catalogue.ts';
import type { AccountState, WarehouseState } from '../../../src/job/alerts/state.ts';
import type { Anomaly } from '../../../src/model/anomaly.ts';
import { type DeliveryStep, deliverySteps } from '../../../src/model/digest.ts';
import type { ErrorCode } from '../../../src/model/errors.ts';
import {
  account,
  dayState,
  failedDay,
  heldDays,
  incompleteWalk,
  lastRun,
  message,
  missingDays,
} from './states.ts';

export const down = 'the service responded with status 503: Down for maintenance.';
const refused = 'the service refuses access (status 401: expired)';
export const failed = (code: ErrorCode, reason: string, ...days: string[]) =>
  days.map((day) => failedDay(day, code, reason));
export const offices = (count: number, changes: Partial<AccountState>) =>
  Array.from({ length: count }, (_, index) =>
    account({ name: `office-${index + 1}`, label: `Office ${index + 1}`, ...changes }),
  );
export const outage = { days: failed('SERVICE_UNAVAILABLE', down, '2026-11-20') };
const unknownDay = (day: string, sign = 'HTTP 404; message: No campaigns found') => ({
  ...failedDay(day, 'UNKNOWN_ANSWER', `the service sends no list, but "${sign}"`),
  sign,
});
/** A day whose figures aren't confirmed, and why. */
export const provisional = (day: string, ...anomalies: Anomaly[]) =>
  dayState(day, { state: 'provisional', anomalies });
export const announced: Extract<Anomaly, { code: 'announced' }> = {
  code: 'announced',
  field: 'campaigns',
  announced: 9,
  listed: 4,
  confirmedBy: null,
};
export const remark = (sign: string): Anomaly => ({ code: 'remark', sign, confirmedBy: null });
export const missing: Anomaly = { code: 'missing_counts', count: 'liveAnswers', confirmedBy: null };
export const noCalls: Anomaly = { code: 'no_calls', confirmedBy: null };
export const unreadable: Anomaly = {
  code: 'unreadable',
  reason: 'busies: not a whole number',
  records: 2,
  confirmedBy: null,
};
export const sameFigures: Anomaly = { code: 'same_figures', confirmedBy: null };
/** A confirmed day with anomalies that say nothing about its figures. */
export const confirmed = (day: string, ...anomalies: Anomaly[]) =>
  dayState(day, { anomalies: anomalies.map((anomaly) => ({ ...anomaly, confirmedBy: 'figures' })) });
/** A confirmed day, on its first night. */
export const fewAttempts = (attempts: number | null, typicalAttempts: number | null) =>
  dayState('2026-11-20', {
    settling: true,
    attempts,
    typicalAttempts,
  });
export const rejects = (day: string | null) => ({
  operation: day === null ? 'getClients' : 'campaignSummary',
  firstAt: '2026-11-21 06:30:00+00',
  latestAt: '2026-11-21 06:30:00+00',
  day,
  reason: 'busies: not a whole number',
  records: 2,
  example: '{"callsetid": 7}',
});
export const errorOfDigest = {
  digest: 'Campaigns',
  every: 'day' as const,
  day: '2026-11-20',
  code: 'INTERNAL' as const,
  detail: 'invalid byte sequence',
  isBuilt: false,
};

/** As servers and machines say it. */
const replies: Readonly<Record<DeliveryStep, { readonly reply: string; readonly code: number | null }>> = {
  connection: { reply: '554 5.7.1 client host blocked', code: 554 },
  tls: {
    reply:
      '"certificate has expired": renew the certificate, name the host it was issued for in SMTP_URL, or trust its authority',
    code: null,
  },
  login: { reply: '535 5.7.8 authentication failed', code: 535 },
  sender: { reply: '553 5.7.1 sender address not owned by user', code: 553 },
  recipient: { reply: '550 5.1.1 user unknown', code: 550 },
  message: { reply: '552 5.3.4 message too big', code: 552 },
  folder: {
    reply: "OUTBOX_DIR (/srv/outbox) can't be written: this user may not write there (EACCES)",
    code: null,
  },
};

export const coast = (changes: Partial<AccountState>) => ({
  accounts: [account({ label: 'Coast', ...changes })],
});

/** Each condition of the catalogue, in situations in which it holds. */
export const situations: Readonly<
  Record<AlertCode, readonly (readonly [what: string, state: Partial<WarehouseState>])[]>
> = {
  RUN_FAILED: [
    [
      'an error that ended the last run',
      {
        lastRun: lastRun({
          error: {
            code: 'SCHEMA_TOO_OLD',
            detail: 'the schema of the warehouse lacks 1 migration, from 0002_add',
          },
        }),
      },
    ],
    [
      'a database whose disk is full',
      {
        preventing: {
          code: 'DATABASE_FULL',
          detail: 'the disk of the database is full (53100: could not extend file)',
        },
      },
    ],
  ],
  CLOCKS_APART: [['a machine whose clock is a day ahead', { clockAheadMs: 86_400_000 }]],
  WEBHOOK_FAILED: [
    [
      'a webhook that refuses an alert',
      {
        recorded: new Map([
          [
            'WEBHOOK_FAILED',
            {
              title: 'ALERT_WEBHOOK_URL did not take the alert (status 500)',
              since: '2026-11-21',
              dismissed: [],
            },
          ],
        ]),
      },
    ],
  ],
  TOKEN_REFUSED: [
    [
      'a refused token, which no run mends, and its days are loaded from before',
      coast({
        days: [failedDay('2026-11-20', 'TOKEN_REFUSED', refused, 'loaded')],
        token: '/run/secrets/coast',
      }),
    ],
    [
      'the tokens of three accounts, refused since yesterday, and of one a day longer',
      {
        accounts: [
          ...offices(2, { days: failed('TOKEN_REFUSED', refused, '2026-11-20') }).map((each) => ({
            ...each,
            token: `/run/secrets/${each.name}`,
          })),
          account({
            name: 'coast',
            label: 'Coast',
            days: failed('TOKEN_REFUSED', refused, '2026-11-19', '2026-11-20'),
          }),
          account({ name: 'north' }),
        ],
      },
    ],
    [
      'the tokens of two accounts, of which one lacks the day and has never had a complete client list',
      {
        accounts: [
          account({
            name: 'north',
            days: failed('TOKEN_REFUSED', refused, '2026-11-20'),
            walk: { ...incompleteWalk, errorCode: 'CLIENT_LIST_REFUSED', completeRunDate: null },
          }),
          account({
            days: [failedDay('2026-11-20', 'TOKEN_REFUSED', refused, 'loaded')],
            walk: { ...incompleteWalk, errorCode: 'CLIENT_LIST_REFUSED' },
          }),
        ],
      },
    ],
    [
      'a hundred tokens of which ten were refused, and the others not requested',
      {
        accounts: [
          ...offices(10, { days: failed('TOKEN_REFUSED', refused, '2026-11-20') }),
          ...Array.from({ length: 90 }, (_, index) =>
            account({
              name: `shop-${index + 1}`,
              days: failed(
                'NOT_REQUESTED',
                'not requested: 10 tokens were refused, and none was accepted',
                '2026-11-20',
              ),
            }),
          ),
        ],
      },
    ],
  ],
  CLIENT_LIST_REFUSED: [
    [
      'a client list that is refused, while campaigns load',
      coast({
        walk: { ...incompleteWalk, reason: 'status 403', errorCode: 'CLIENT_LIST_REFUSED' },
      }),
    ],
  ],
  UNKNOWN_ANSWER: [
    [
      'an answer that says that there is nothing, of two days',
      coast({ days: [unknownDay('2026-11-19'), unknownDay('2026-11-20')] }),
    ],
    [
      'a client list that is an error if there are no clients',
      coast({
        walk: {
          ...incompleteWalk,
          reason: 'unknown answer (HTTP 404; message: No clients)',
          errorCode: 'UNKNOWN_ANSWER',
          errorStatus: '404',
          signs: ['HTTP 404; message: No clients'],
        },
      }),
    ],
    [
      'a page in the place of an answer',
      coast({ days: [unknownDay('2026-11-20', 'HTTP 404; not JSON: a page titled "Not Found"')] }),
    ],
  ],
  REQUEST_REFUSED: [
    [
      'a request that is refused',
      coast({
        days: failed(
          'REQUEST_REFUSED',
          'the service refuses the request (status 400: no such field)',
          '2026-11-20',
        ),
      }),
    ],
  ],
  SERVICE_UNAVAILABLE: [
    [
      'a service that is down, for forty accounts: it is one cause, and waiting heals it',
      {
        accounts: offices(40, {
          ...outage,
          walk: { ...incompleteWalk, reason: down, errorCode: 'SERVICE_UNAVAILABLE', errorStatus: '503' },
        }),
      },
    ],
    [
      'a service that can not be reached: an address can cause that',
      coast({
        days: failed(
          'SERVICE_UNAVAILABLE',
          "the service can't be reached at https://x.example (ECONNREFUSED)",
          '2026-11-20',
        ),
      }),
    ],
    [
      'too many requests',
      coast({
        days: failed('SERVICE_UNAVAILABLE', 'the service responded with status 429: slow down', '2026-11-20'),
      }),
    ],
    [
      'a client list that fails for a week, though campaigns load',
      {
        ...coast({
          walk: {
            ...incompleteWalk,
            incompleteRunDates: 7,
            reason: 'page 1 failed: the service responded with status 500: oh',
            errorCode: 'SERVICE_UNAVAILABLE',
            errorStatus: '500',
          },
        }),
        recorded: new Map([
          ['SERVICE_UNAVAILABLE/500', { title: 'The list', since: '2026-11-15', dismissed: [] }],
        ]),
      },
    ],
    [
      'an outage after a night on which the token was refused: no 401 came since',
      coast({
        ...outage,
        walk: {
          ...incompleteWalk,
          reason: 'status 401',
          errorCode: 'CLIENT_LIST_REFUSED',
          errorStatus: '401',
        },
      }),
    ],
  ],
  INVALID_RESPONSE: [
    [
      'a response that is no JSON',
      coast({
        days: failed(
          'INVALID_RESPONSE',
          'invalid response (malformed JSON: it ends too early, after 120 characters)',
          '2026-11-20',
        ),
      }),
    ],
  ],
  INVALID_CONFIGURATION: [
    [
      'a worker with other accounts',
      coast({
        days: failed('INVALID_CONFIGURATION', 'a worker lacks this account in its settings', '2026-11-20'),
      }),
    ],
  ],
  WALK_INCOMPLETE: [
    ['an incomplete walk', coast({ walk: incompleteWalk })],
    [
      'a client list that changed during each walk of seven nights',
      coast({ walk: { ...incompleteWalk, verdict: 'changed', incompleteRunDates: 7 } }),
    ],
  ],
  INTERNAL: [
    [
      'a bug of one day',
      coast({ days: failed('INTERNAL', 'internal error of Callsheet (oh)', '2026-11-20') }),
    ],
  ],
  DAYS_NOT_LOADED: [
    ['days that nobody attempted', coast({ days: missingDays('2026-11-18', '2026-11-19') })],
    [
      'a run that somebody stopped',
      { ...coast({ days: missingDays('2026-11-20') }), lastRun: lastRun({ isInterrupted: true }) },
    ],
    [
      'nights without a run',
      {
        ...coast({ days: missingDays('2026-11-18', '2026-11-19', '2026-11-20') }),
        lastRun: lastRun({ runDate: '2026-11-18' }),
        missedTimes: 3,
      },
    ],
    ['an installation without a run', { accounts: [], lastRun: null, missedTimes: 1 }],
  ],
  EARLIER_DAYS_INCOMPLETE: [
    [
      'three days that no run fetches any more',
      coast({ earlier: { first: '2026-08-01', last: '2026-08-03', days: 3 } }),
    ],
    [
      'days of forty accounts that no run fetches any more, beside others that are whole',
      { accounts: offices(40, { earlier: { first: '2026-08-01', last: '2026-11-05', days: 12 } }) },
    ],
  ],
  SAME_CAMPAIGNS: [
    [
      'two accounts with the same campaigns',
      {
        accounts: [
          account({ label: 'Coast', token: '/run/secrets/coast' }),
          account({
            name: 'valley',
            label: 'Valley',
            token: '/run/secrets/valley',
          }),
        ],
        sameCampaigns: [
          {
            accounts: [
              { name: 'coast', label: 'Coast' },
              { name: 'valley', label: 'Valley' },
            ],
            days: ['2026-11-20'],
          },
        ],
      },
    ],
    [
      'forty accounts with the same campaigns, as one alert',
      {
        accounts: offices(40, {}).map((each) => ({
          ...each,
          token: `/run/secrets/${each.name}`,
        })),
        sameCampaigns: [
          {
            accounts: Array.from({ length: 40 }, (_, index) => ({
              name: `office-${index + 1}`,
              label: `Office ${index + 1}`,
            })),
            days: ['2026-11-20'],
          },
        ],
      },
    ],
  ],
  RESPONSE_HELD: [
    ['held responses', coast({ days: heldDays('2026-11-18', '2026-11-19', '2026-11-20') })],
    ['one held response', coast({ days: heldDays('2026-11-18') })],
  ],
  DAYS_PROVISIONAL: [
    [
      'a count that announces more campaigns than are listed',
      coast({ days: [provisional('2026-11-20', announced)] }),
    ],
    [
      'a remark beside the campaigns, on two days with other numbers',
      coast({
        days: [provisional('2026-11-19', remark('took: 9')), provisional('2026-11-20', remark('took: 12'))],
      }),
    ],
    ['a count that most campaigns leave out', coast({ days: [provisional('2026-11-20', missing)] })],
    ['no calls', coast({ days: [provisional('2026-11-20', noCalls)] })],
    [
      'the same figures on two days',
      coast({ days: [provisional('2026-11-19', sameFigures), provisional('2026-11-20', sameFigures)] }),
    ],
    [
      'the same anomaly on days of forty accounts, as one alert',
      {
        accounts: offices(40, {
          days: [
            provisional('2026-11-19', { ...announced, announced: 8 }),
            provisional('2026-11-20', announced),
          ],
        }),
      },
    ],
  ],
  NEW_REMARK: [
    [
      'a remark that also stands beside confirmed figures',
      coast({ days: [confirmed('2026-11-20', remark('version: 2.1'))] }),
    ],
    [
      'a client list that says something new',
      coast({
        walk: {
          ...incompleteWalk,
          verdict: 'remarked',
          reason: 'the service says "notice: moved"',
          signs: ['notice: moved'],
        },
      }),
    ],
  ],
  NO_CAMPAIGNS_YET: [
    [
      'an account without campaigns, in its first week',
      coast({ since: '2026-11-16', daysWithoutCampaigns: 5 }),
    ],
    ['an account without campaigns, after it', coast({ since: '2026-11-01', daysWithoutCampaigns: 20 })],
  ],
  LISTS_CUT: [['lists of a round length', coast({ cutAt: 1_000 })]],
  UNUSUAL_VOLUME: [['a day with far fewer attempts than usual', coast({ days: [fewAttempts(39, 100)] })]],
  RECORDS_QUARANTINED: [
    [
      'records that can not be read, with a day that is provisional for it: that is one cause',
      coast({ quarantined: [rejects('2026-11-20')], days: [provisional('2026-11-20', unreadable)] }),
    ],
    [
      'records that repeat loaded ones: nothing is missing',
      coast({ quarantined: [rejects('2026-11-19'), rejects('2026-11-20')] }),
    ],
    ['records of the client list', coast({ quarantined: [rejects(null)] })],
  ],
  CLIENTS_MISSING: [
    [
      'over half of the clients missing',
      coast({
        walk: {
          ...incompleteWalk,
          verdict: 'complete',
          implausibleMissing: 380,
          implausibleSince: '2026-11-16',
        },
      }),
    ],
  ],
  MAIL_GIVEN_UP: [
    [
      'messages that were given up',
      {
        deliveries: ['2026-11-14', '2026-11-13'].map((day) =>
          message({ day, state: 'given_up', reply: '550 5.7.1 rejected by policy', code: 550 }),
        ),
      },
    ],
  ],
  MAIL_UNKNOWN: [
    [
      'mail that may have arrived',
      { deliveries: [message({ state: 'unknown', reply: 'the run ended while sending' })] },
    ],
  ],
  MAIL_FAILED: [
    ...deliverySteps.map((step): readonly [string, Partial<WarehouseState>] => [
      `mail that failed at the step ${step}`,
      { deliveries: [message({ step, ...replies[step] })] },
    ]),
    [
      'mail that is put off, to two recipients with a reply for each',
      {
        deliveries: ['ana', 'ben'].map((name) =>
          message({
            recipient: `${name}@example.com`,
            step: 'recipient',
            reply: `450 4.2.0 <${name}@example.com>: Greylisted`,
            code: 450,
          }),
        ),
      },
    ],
    [
      'mail to five recipients, while the mail server is away',
      {
        deliveries: ['ana', 'ben', 'cleo', 'dan', 'eve'].map((name) =>
          message({
            recipient: `${name}@example.com`,
            step: 'connection',
            reply: 'connect ECONNREFUSED 192.0.2.25:587',
            code: null,
          }),
        ),
      },
    ],
    [
      'mail that no run has tried',
      { deliveries: [message({ state: 'pending', reply: null, step: null, code: null })] },
    ],
  ],
  DIGEST_FAILED: [
    ['a digest that could not be built', { lastRun: lastRun({ digestErrors: [errorOfDigest] }) }],
    [
      'several digests that could not be built',
      {
        lastRun: lastRun({
          digestErrors: ['Campaigns', 'Coast', 'North', 'West'].map((digest) => ({
            ...errorOfDigest,
            digest,
          })),
        }),
      },
    ],
  ],
};
