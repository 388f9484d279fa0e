import type { AlertCode } from '../../model/alert.ts';
import {
  type Anomaly,
  type AnomalyCode,
  isSharedOnPurpose,
  knowableCodes,
  unknownAnomalies,
} from '../../model/anomaly.ts';
import { addDays, type Day, isOver, yesterday } from '../../model/day.ts';
import type { ErrorCode } from '../../model/errors.ts';
import { type DigestKey, digestName } from '../../model/period.ts';
import { formatCount, formatCountOf } from '../../support/english.ts';
import { needsCompleteWalk, walkConcerns } from '../clients/walk-status.ts';
import { describeAnomalies, describeAnomaly } from '../windows/describe-anomaly.ts';
import {
  type AccountState,
  isOpen,
  type LastRun,
  type MailServerState,
  type RunningRun,
  type UndeliveredMessage,
  type WarehouseState,
} from './state.ts';

/** One thing that is wrong. Those with the same code and cause are one alert. */
export type Concern = {
  readonly code: AlertCode;
  /** What tells causes of one code apart, as a part of the alert's key: `503`, `no_calls`. */
  readonly cause?: string;
  readonly account?: AccountState;
  /** Without a day, a concern of an account is about its client list, or about all of its days. */
  readonly day?: Day;
  /** The figures lack the day. */
  readonly lacks?: boolean;
  /** The digest, and who didn't get it. */
  readonly digest?: DigestKey;
  readonly message?: UndeliveredMessage;
  readonly mailServer?: MailServerState;
  /** What the service, the mail server or the run says; a phrase. */
  readonly detail: string;
  /** What a dismissal acknowledges. */
  readonly affects: string;
  /** Number of records, clients or days. */
  readonly count?: number;
};

/** Finds all that is wrong. What somebody dismissed is among it. */
export function findConcerns(state: WarehouseState, now: Temporal.Instant): Concern[] {
  const explained = sharedDays(state);
  return [
    ...state.accounts.flatMap((account) => [
      ...unloadedDays(account, state, now),
      ...doubtfulDays(account, explained),
      ...quarantined(account),
      ...clientList(account),
    ]),
    ...clocksApart(state),
    ...olderFiles(state),
    ...sameCampaigns(state),
    ...lastRun(state),
    ...mail(state),
  ];
}

const ofDay = (account: AccountState, day: Day) => ({
  account,
  day,
  affects: `${account.name} ${day}`,
});

/** Days whose last attempt failed, and days that nobody attempted. */
function unloadedDays(account: AccountState, state: WarehouseState, now: Temporal.Instant): Concern[] {
  const { days, unfinished, since, completeThrough, catchUpFrom } = account;
  const byDay = new Map(days.map((each) => [each.day, each]));
  const failed = days.flatMap(({ day, code, reason, ...each }): Concern[] =>
    code === null
      ? []
      : [
          {
            ...ofDay(account, day),
            ...causeOf(code, reason!, account),
            detail: reason!,
            lacks: isOpen(each),
          },
        ],
  );
  const dead = unfinished
    // A run has attempted it since, or has no reason to.
    .filter(({ day, loaded }) => (byDay.get(day)?.code ?? null) === null && (!loaded || day >= catchUpFrom))
    .map(
      ({ day, said, loaded }): Concern => ({
        ...ofDay(account, day),
        code: 'WINDOW_UNFINISHED',
        detail: said ?? 'the worker ended',
        lacks: !loaded,
      }),
    );
  const attempted = new Set([...failed, ...dead].map(({ day }) => day));
  // If an error or a person ended the run that would have loaded them, it is the same alert.
  const cause = whyRunFailed(state) ?? { code: 'DAYS_NOT_LOADED', detail: '' };
  const missing = days
    .filter(
      (each) => isOpen(each) && !attempted.has(each.day) && !nextRunLoads(each.day, account, state, now),
    )
    .map(({ day }): Concern => ({ ...cause, ...ofDay(account, day), lacks: true }));
  // All that is known of days that no run fetches any more: the last day before the first that lacks.
  const first = completeThrough === null ? since : addDays(completeThrough, 1);
  const earlier: Concern[] =
    first !== null && first < catchUpFrom
      ? [
          {
            code: 'DAYS_NOT_LOADED',
            cause: 'earlier',
            account,
            detail: first,
            affects: `${account.name} ${first}`,
          },
        ]
      : [];
  return [...failed, ...dead, ...missing, ...earlier];
}

/** The service's answer is the cause: a status, or the code of the connection. */
function causeOf(
  code: ErrorCode,
  detail: string,
  { isTokenRefused }: AccountState,
): Pick<Concern, 'code' | 'cause'> {
  if (code === 'TOKEN_REFUSED' && !isTokenRefused) return { code, cause: 'unproven' };
  if (code === 'TOKEN_REFUSED' || code === 'WALK_INCOMPLETE' || code === 'INTERNAL') return { code };
  const [, status, connection] = /\bstatus (\d{3})\b|\(([A-Z][A-Z_]{3,})\)/.exec(detail) ?? [];
  const cause = status ?? connection;
  return cause === undefined ? { code } : { code, cause };
}

/** A scheduled run begins within this time. */
const startsWithin = { minutes: 1 };

/**
 * Returns whether the next run loads a day by itself: the day ended after the last run began, and the next run isn't late.
 * While a run is running, nothing becomes late.
 */
function nextRunLoads(
  day: Day,
  { timeZone }: AccountState,
  { lastRun, running }: WarehouseState,
  now: Temporal.Instant,
): boolean {
  if (lastRun === null) return running !== null;
  if (day === yesterday(now, timeZone) && lastRun.retryAt !== null) return true;
  if (isOver(day, timeZone, lastRun.startedAt)) return false;
  const at = running?.startedAt ?? now;
  return Temporal.Instant.compare(at, lastRun.nextScheduledAt.add(startsWithin)) < 0;
}

/** The key of the row that `schedule` writes: the other processes read the new files. */
export const olderFilesKey = 'FILES_CHANGED';

/** A row without a beginning has ended, or was only dismissed. */
function olderFiles({ recorded }: WarehouseState): Concern[] {
  const row = recorded.get(olderFilesKey);
  if (row === undefined || row.since === null) return [];
  return [{ code: olderFilesKey, detail: row.title, affects: row.title }];
}

/** Clocks that are kept right differ by seconds. */
const maxClocksApartMs = 600_000;

function clocksApart({ clockAheadMs }: WarehouseState): Concern[] {
  if (Math.abs(clockAheadMs) <= maxClocksApartMs) return [];
  const direction = clockAheadMs > 0 ? 'ahead of' : 'behind';
  return [
    {
      code: 'CLOCKS_APART',
      detail: `${formatApart(Math.abs(clockAheadMs))} ${direction}`,
      affects: 'clocks',
    },
  ];
}

/** `25 minutes`, `3 hours`, `5 days`: rounded. */
function formatApart(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return formatCountOf(minutes, 'minute');
  const hours = Math.round(minutes / 60);
  return hours < 48 ? formatCountOf(hours, 'hour') : formatCountOf(Math.round(hours / 24), 'day');
}

/** Below this share of what the weekday usually has, where that is so many attempts at least. */
const unusualShare = 0.4;
const minUsualAttempts = 100;

/** An account that lists nothing for so many days may be another one's, or its requests end too early. */
const minDaysWithoutCampaigns = 3;

/** Signs of a provisional day: the first that it has tells most of the cause. */
const telling = [
  'error',
  'not_finished',
  'unreadable',
  'unreadable_counts',
  'announced',
  'unreported',
  'no_list',
  'no_calls',
  'same_figures',
] as const;

/** What speaks against figures: held responses, provisional days, known anomalies, unusual volume. */
function doubtfulDays(account: AccountState, explained: ReadonlySet<string>): Concern[] {
  const concerns: Concern[] = [];
  for (const each of account.days) {
    const { day, state, settling, attempts, typicalAttempts: usual, heldCode } = each;
    const about = ofDay(account, day);
    if (heldCode !== null && !explained.has(about.affects))
      concerns.push({ ...about, code: 'RESPONSE_HELD', cause: heldCode, detail: each.heldReason! });
    // Signs of one cause are one alert. Quarantined records and shared days have their own.
    const unknown = unknownAnomalies(each.anomalies);
    const signs = unknown.map(({ code }) => code).filter((code) => !isQuarantined(code, day));
    const cause = telling.find((code) => signs.includes(code));
    const ignoresDates = unknown.some((anomaly) => anomaly.code === 'same_figures' && anomaly.datesIgnored);
    if (ignoresDates) concerns.push({ ...about, code: 'DATES_IGNORED', detail: '', affects: account.name });
    else if (state === 'provisional' && each.isOver && heldCode === null && cause !== undefined)
      concerns.push({
        ...about,
        code: 'DAYS_PROVISIONAL',
        cause,
        detail: describeAnomalies(unknown)!,
      });
    const isUnusual =
      state === 'loaded' &&
      settling &&
      usual !== null &&
      usual >= minUsualAttempts &&
      attempts !== null &&
      attempts < unusualShare * usual;
    if (isUnusual)
      concerns.push({
        ...about,
        code: 'UNUSUAL_VOLUME',
        detail: `${formatCountOf(attempts, 'attempt')}, on a weekday that usually has ${formatCount(Math.round(usual))}`,
      });
  }
  if (account.daysWithoutCampaigns >= minDaysWithoutCampaigns)
    concerns.push({
      code: 'NO_CAMPAIGNS_YET',
      account,
      detail: '',
      affects: account.name,
      count: account.daysWithoutCampaigns,
    });
  if (account.cutAt !== null)
    concerns.push({
      code: 'LISTS_CUT',
      account,
      detail: '',
      affects: `${account.name} ${account.cutAt}`,
      count: account.cutAt,
    });
  // The newest confirmed day with known anomalies stands for all.
  const isWay = ({ code, known }: Anomaly) =>
    known && (knowableCodes as readonly AnomalyCode[]).includes(code);
  const confirmed = account.days.findLast(
    ({ state, anomalies }) => state === 'loaded' && anomalies.some(isWay),
  );
  for (const anomaly of confirmed?.anomalies.filter(isWay) ?? []) {
    const { code } = anomaly;
    concerns.push({
      ...ofDay(account, confirmed!.day),
      code: 'ANOMALY_KNOWN',
      detail: describeAnomaly(anomaly),
      affects: `${account.name} ${code}`,
    });
  }
  return concerns;

  function isQuarantined(code: string, day: Day) {
    return code === 'unreadable' && account.quarantined.some((group) => group.day === day);
  }
}

function quarantined(account: AccountState): Concern[] {
  return account.quarantined.map(({ day, reason, records }) => ({
    code: 'RECORDS_QUARANTINED',
    account,
    ...(day === null ? {} : { day }),
    detail: reason,
    // A dismissal is about this account and reason, whatever the day.
    affects: `${account.name} ${day === null ? 'clients' : 'campaigns'} ${reason}`,
    count: records,
  }));
}

function clientList(account: AccountState): Concern[] {
  const { name, walk } = account;
  const concerns: Concern[] = [];
  if (needsCompleteWalk(walk)) {
    const cause = causeOf(walk.errorCode ?? 'WALK_INCOMPLETE', walk.reason!, account);
    concerns.push({
      ...cause,
      // Campaigns load: another token isn't the first thing to try.
      ...(walk.isRefusedAlone ? { cause: 'clients' } : {}),
      account,
      detail: walk.reason!,
      affects: `${name} clients`,
    });
  }
  for (const { kind, missing, since } of walkConcerns(walk)) {
    if (kind !== 'implausible') continue;
    concerns.push({
      code: 'CLIENTS_MISSING',
      account,
      detail: since,
      affects: `${name} ${since}`,
      count: missing,
    });
  }
  return concerns;
}

/** Statistics belong to the account of the token: accounts with the same campaigns are one, counted again and again. */
function sameCampaigns({ accounts, sameCampaigns }: WarehouseState): Concern[] {
  const byName = new Map(accounts.map((account) => [account.name, account]));
  return sameCampaigns.flatMap((set) =>
    set.accounts.flatMap(({ name }) => {
      const account = byName.get(name);
      // Retired in between.
      if (account === undefined) return [];
      return set.days.map((day) => ({
        code: 'SAME_CAMPAIGNS' as const,
        cause: set.accounts[0]!.name,
        account,
        day,
        detail: '',
        affects: name,
      }));
    }),
  );
}

function lastRun(state: WarehouseState): Concern[] {
  const { accounts, lastRun, running } = state;
  const failed = whyRunFailed(state);
  if (lastRun === null && failed === null) {
    if (running !== null || accounts.some(({ since }) => since !== null)) return [];
    return [{ code: 'NOTHING_LOADED', detail: '', affects: 'everything' }];
  }
  return [
    ...(failed === null ? [] : [failed]),
    // Those that are built are messages that wait.
    ...(lastRun?.digestErrors ?? [])
      .filter(({ isBuilt }) => !isBuilt)
      .map(
        ({ code, digest, every, day, detail }): Concern => ({
          code,
          cause: 'digest',
          digest: { name: digest, every, day },
          detail,
          affects: digestName({ name: digest, every, day }),
        }),
      ),
  ];
}

/** What keeps runs from beginning, or what ended the last one; null if nothing did. */
function whyRunFailed({ lastRun, preventing }: WarehouseState): Concern | null {
  if (preventing !== null) return runConcern(preventing);
  if (lastRun?.isInterrupted) return interruptedRun(lastRun.run);
  return lastRun?.error ? runConcern(lastRun.error) : null;
}

export const interruptedRun = (run: number): Concern => ({
  code: 'RUN_INTERRUPTED',
  detail: '',
  affects: `run ${run}`,
});

/** Responses that are held because they are another account's: unless that is on purpose, their alert says what to do. */
function sharedDays({ sameCampaigns, recorded }: WarehouseState): ReadonlySet<string> {
  return new Set(
    sameCampaigns.flatMap(({ accounts, days }) => {
      const names = accounts.map(({ name }) => name);
      const dismissed = recorded.get(`SAME_CAMPAIGNS/${names[0]}`)?.dismissed ?? [];
      return isSharedOnPurpose(names, [dismissed])
        ? []
        : names.flatMap((name) => days.map((day) => `${name} ${day}`));
    }),
  );
}

/** The error that ended or prevented a run. */
export const runConcern = ({ code, detail }: NonNullable<LastRun['error']>): Concern => ({
  code,
  cause: 'run',
  detail,
  affects: 'run',
});

function mail({ deliveries, mailServer, incomplete, lastRun, running }: WarehouseState): Concern[] {
  const undelivered = deliveries.flatMap((message): Concern[] => {
    const { digest, every, day, recipient, state, reply, cause } = message;
    const key = { name: digest, every, day };
    const about = {
      digest: key,
      message,
      affects: `${digestName(key)} to ${recipient}`,
    };
    if (state === 'unknown') return [{ ...about, code: 'MAIL_UNKNOWN', detail: reply ?? 'no reply' }];
    if (state === 'refused') {
      const status = /\b[45]\d\d\b/.exec(reply ?? '')?.[0];
      const reason = isGivenUp(message) ? cause! : status;
      return [
        {
          ...about,
          code: 'MAIL_REFUSED',
          ...(reason === undefined ? {} : { cause: reason }),
          detail: reply ?? 'no reply',
        },
      ];
    }
    if (isOfRun(message, running)) return [];
    return [
      {
        ...about,
        mailServer,
        code: 'MAIL_WAITING',
        ...(cause === null ? {} : { cause }),
        detail: reply ?? whyUnsent(message, lastRun),
      },
    ];
  });
  const correctable = incomplete.map(
    (digest): Concern => ({
      code: 'DIGEST_INCOMPLETE',
      digest,
      detail: '',
      affects: digestName(digest),
    }),
  );
  return [...undelivered, ...correctable];
}

/** The mailbox itself refuses a message at once; anything else is given up after it failed on several run dates. */
export const isGivenUp = ({ state, cause }: UndeliveredMessage): boolean =>
  state === 'refused' && cause !== null && cause !== 'recipient';

/** The run that built it is running, and has yet to send it. */
const isOfRun = ({ run }: UndeliveredMessage, running: RunningRun | null) =>
  running !== null && run === running.run;

/** Without a reply of the mail server, an error of the run kept the message. */
function whyUnsent({ digest, every, day, recipient }: UndeliveredMessage, lastRun: LastRun | null): string {
  const error = lastRun?.digestErrors.find((each) => each.digest === digest && each.day === day);
  if (error === undefined) return 'no attempt yet';
  return `digest ${digestName({ name: digest, every, day })} to ${recipient}: ${error.detail}`;
}
