import { type Accepted, canBeEmpty, type ObservedSign, signId, starred } from '../../model/accepted.ts';
import type { ActiveAlert, AlertStep } from '../../model/alert.ts';
import { type Anomaly, type HeldCode, openAnomalies, signOf } from '../../model/anomaly.ts';
import { addDays, type Day, isOver } from '../../model/day.ts';
import type { DeliveryState, DeliveryStep, UndeliveredMessage } from '../../model/digest.ts';
import { type ErrorCode, errorCatalogue } from '../../model/errors.ts';
import { exitCode } from '../../model/exit-code.ts';
import { digestName } from '../../model/period.ts';
import type { DayState } from '../../model/window.ts';
import {
  capitalize,
  formatCount,
  formatCountOf,
  formatDate,
  formatDates,
  formatDuration,
  plural,
  withStop,
} from '../../support/english.ts';
import { needsCompleteWalk } from '../clients/walk-status.ts';
import { describeAnomalies } from '../windows/describe-anomaly.ts';
import {
  accountOptions,
  between,
  daysOf,
  detailsIn,
  detailsOf,
  firstThree,
  formatSince,
  type Item,
  type Items,
  lastDetail,
  lastSentence,
  manual,
  namesOf,
  ofDay,
  rangeOptions,
  runNow,
  total,
  typed,
  unique,
  windowOptions,
  withoutFigures,
  writeTokens,
} from './items.ts';
import { type AccountState, isOpen, type WarehouseState } from './state.ts';

/** An active alert: all that a condition holds for, with one key. */
export type Alert = {
  readonly code: AlertCode;
  readonly key: string;
  readonly items: Items;
  readonly today: Day;
  readonly state: WarehouseState;
};

/** The words of an alert. */
export type Text = {
  /** `error`: figures or mail are missing; `warning`: they may be wrong; `note`: nothing to do. */
  readonly severity: ActiveAlert['severity'];
  /** The event in a few words: title and subject name whom it hit. A subject leaves out what follows a colon or a bracket. */
  readonly what: string;
  /** The items that title and subject name; all by default. */
  readonly about?: Items;
  /** Further names in the title. */
  readonly more?: readonly string[];
  /** A title of its own. */
  readonly title?: string;
  /** The event, its effect on the figures, and what happens automatically; sentences. */
  readonly explanation: string;
  /** The next run tries again, and a sentence that says when follows. */
  readonly retried?: boolean;
  /** The steps, in order. */
  readonly steps: readonly AlertStep[];
};

/** A rule of when to alert. */
type Condition = {
  /** Finds the items that it holds for; a dismissal is applied later. */
  readonly find: (state: WarehouseState, now: Temporal.Instant) => Items;
  readonly describe: (alert: Alert) => Text;
};

/**
 * Every condition, the gravest first. To add one, write its entry here; its situation in test/job/alerts/situations.ts and its section in
 * docs/operations.md are then demanded by the tests (CONTRIBUTING.md).
 */
export const conditions = {
  RUN_FAILED: {
    find: (state, now) => {
      const error = whyRunFailed(state);
      if (error === null) return [];
      const of = { part: error.code, detail: error.detail };
      return [{ id: 'run', ...of }, ...missingDays(state, now).map((item) => ({ ...item, ...of }))];
    },
    describe: ({ items, today }) => {
      const error = items[0]!.part as ErrorCode;
      const isForGood = errorCatalogue[error].exitCode === exitCode.configuration;
      return {
        severity: 'error',
        what: `run failed: ${errorCatalogue[error].summary}`,
        explanation: `${lastSentence(items)} ${lackedBy(items, today)}${isForGood ? ' Every run fails like this until the first step is done.' : ''}`,
        retried: !isForGood,
        steps: [stepBeforeRun(error), runNow('Then')],
      };
    },
  },
  RUN_INTERRUPTED: {
    find: (state, now) =>
      isInterrupted(state) ? [{ id: `run ${state.lastRun!.run}` }, ...missingDays(state, now)] : [],
    describe: ({ items, today }) => ({
      severity: 'error',
      what: 'last run interrupted',
      explanation: lackedBy(items, today),
      retried: true,
      steps: [runNow()],
    }),
  },
  NOTHING_LOADED: {
    find: ({ accounts, lastRun, preventing, running }) => {
      const isBegun = lastRun !== null || preventing !== null || running !== null;
      return isBegun || accounts.some(({ since }) => since !== null) ? [] : [{ id: 'everything' }];
    },
    describe: () => ({
      severity: 'warning',
      what: 'no nightly run yet',
      explanation: 'No figures yet: the first run, typed or scheduled, loads yesterday.',
      steps: [runNow()],
    }),
  },
  CLOCKS_APART: {
    find: ({ clockAheadMs }) => {
      if (Math.abs(clockAheadMs) <= maxClocksApartMs) return [];
      const direction = clockAheadMs > 0 ? 'ahead of' : 'behind';
      return [{ id: 'clocks', detail: `${formatDuration(Math.abs(clockAheadMs))} ${direction}` }];
    },
    describe: ({ items }) => ({
      severity: 'error',
      what: 'clocks apart',
      title: `The clock of the machine that runs Callsheet is ${lastDetail(items)} the database's`,
      explanation:
        'Figures are not wrong, but runs and mails may come late: a day counts as over once both clocks say so.',
      steps: [manual('Type date -u on both machines, correct the clock that is wrong, and let NTP set it')],
    }),
  },

  TOKEN_REFUSED: {
    find: findFailed('TOKEN_REFUSED'),
    describe: (alert) => {
      const { state } = alert;
      const refused = alert.items.filter(({ isUnrequested }) => !isUnrequested);
      // Their accounts may have left since.
      const items = refused.length > 0 ? refused : alert.items;
      const names = namesOf(items);
      const others = namesOf(alert.items).length - names.length;
      const isEvery = names.length > 1 && names.length + others === state.accounts.length;
      const { status } = items.at(-1)!;
      const why =
        status == null
          ? lastDetail(items)
          : `the service refuses ${plural(names.length, 'the token', 'their tokens')} (${status})`;
      const ask = `Ask the provider for ${plural(names.length, 'a new token, and write it', 'new tokens, and write them')}`;
      const unrequested =
        others === 0
          ? ''
          : ` ${formatCountOf(others, 'other account')} ${plural(others, 'was', 'were')} not requested: if ten tokens are refused and none is accepted, a run stops, and the next one begins with others.`;
      const fault = isEvery
        ? ` Every token that was sent is refused: either the service has a fault, which passes, or the tokens have expired. Each nightly run tries again.`
        : '';
      const look = typed('To see whether the service still refuses them', 'doctor');
      const steps = [...(isEvery ? [look] : []), writeTokens(ask, items)];
      const text = describeFailed(
        { ...alert, items },
        steps,
        fault + unrequested === '' ? why : `${withStop(why)}${fault}${unrequested}`,
      );
      return { ...text, about: items, retried: state.lastRun?.retryAt != null };
    },
  },
  CLIENT_LIST_REFUSED: {
    find: findFailed('CLIENT_LIST_REFUSED'),
    describe: ({ key, items, today }) => ({
      severity: 'error',
      what: `client ${plural(items.length, 'list')} refused`,
      explanation: `${lastSentence(items)} Only the client list (getClients) is refused. ${listsAlone} ${lastComplete(items, today)}`,
      steps: [
        writeTokens('Ask the provider to allow getClients, or for another token, and write that', items),
        runNow('Then'),
        dismiss("If the token isn't meant to list clients", key),
      ],
    }),
  },
  UNKNOWN_ANSWER: {
    find: findFailed('UNKNOWN_ANSWER'),
    describe: (alert) => {
      const { items, state } = alert;
      const signs = unique(items.flatMap(({ signs: [sign] = [] }) => sign?.sign ?? []));
      const quoted = firstThree(signs.map((sign) => `"${sign}"`));
      const isOfDays = items.every(({ day }) => day !== undefined);
      const isEmpty = isOfDays && signs.every(canBeEmpty);
      const steps = [
        ...(isEmpty
          ? [
              typed(
                'If it means that there were no campaigns, for these days',
                'accept',
                ...windowOptions(items),
              ),
              ...acceptAlways('If it always means that', items, state),
            ]
          : [seeFault]),
        writeTokens('If it is about the token, ask the provider for a new one, and write it', items),
        manual('If it is about something else, send it to the provider, and ask what to change'),
      ];
      const text = describeFailed(alert, steps, 'the service sends no list');
      return {
        ...text,
        what: 'unknown answer',
        explanation: `The service says ${quoted}, which its document doesn't show: nobody but you can say what it means. ${text.explanation}`,
      };
    },
  },
  REQUEST_REFUSED: failureCondition('REQUEST_REFUSED', () => seeFault),
  SERVICE_UNAVAILABLE: failureCondition('SERVICE_UNAVAILABLE', (status, alert) => {
    if (status === '429') return manual('Set RATE_PER_SECOND to what the provider allows');
    if (status === '403')
      return manual("Let the firewall in front of the service allow this machine's address");
    // A service that is there and busy needs time alone, but not for days.
    if (status?.startsWith('5'))
      return lastsForDays(alert) ? typed('To see what fails, and whether a setting ends it', 'doctor') : null;
    return typed('To see whether SERVICE_BASE_URL can be reached from here', 'doctor');
  }),
  INVALID_RESPONSE: failureCondition('INVALID_RESPONSE', () => seeFault),
  INVALID_CONFIGURATION: failureCondition('INVALID_CONFIGURATION', () => seeFault),
  WALK_INCOMPLETE: failureCondition('WALK_INCOMPLETE', () => seeFault),
  WINDOW_UNFINISHED: failureCondition('WINDOW_UNFINISHED', () =>
    manual("Look at the workers' logs, and correct what they name"),
  ),
  INTERNAL: failureCondition('INTERNAL', () => reportIt),
  DAYS_NOT_LOADED: {
    // If an error or a person ended the run that would have loaded them, it is the same alert.
    find: (state, now) =>
      whyRunFailed(state) === null && !isInterrupted(state) ? missingDays(state, now) : [],
    describe: ({ key, items, today }) => ({
      severity: 'error',
      what: plural(daysOf(items).length, 'day not loaded', 'days not loaded'),
      explanation: `${withoutFigures(items, today)}: no run has loaded ${plural(daysOf(items).length, 'it', 'them')}.`,
      retried: true,
      steps: [runNow(), dismiss("If the service doesn't have them", key)],
    }),
  },
  EARLIER_DAYS_INCOMPLETE: {
    // All that is known of days that no run fetches any more: the last day before the first that lacks.
    find: ({ accounts }) =>
      accounts.flatMap((account): Items => {
        const first = account.completeThrough === null ? account.since : addDays(account.completeThrough, 1);
        if (first === null || first >= account.catchUpFrom) return [];
        return [{ id: `${account.name} ${first}`, account, detail: first }];
      }),
    describe: ({ key, items, today }) => {
      const [first] = detailsIn(items).sort();
      const reaches = items.map(({ account }) => account!.catchUpFrom).sort();
      const last = addDays(reaches.at(-1)!, -1);
      const range = ['--from', first!, '--to', last, ...accountOptions(items)];
      const [from, to] = [formatDate(first!, today), formatDate(last, today)];
      const days = from === to ? `${from} is` : `Some days from ${from} to ${to} are`;
      return {
        severity: 'error',
        what: 'earlier days incomplete',
        more: [`from ${from}`],
        explanation: `${days} missing from the figures or provisional. No run fetches days that are older than CATCH_UP_DAYS.`,
        steps: [
          typed('To load them', 'backfill', ...range),
          typed('Then, if days stay provisional and are right, to confirm them', 'accept', ...range),
          dismiss('If the service no longer has those days', key),
        ],
      };
    },
  },

  RESPONSE_HELD: {
    find: (state, now) => {
      const explained = heldAsShared(state);
      const held = eachDay((account, { day, heldCode, heldReason }) =>
        heldCode === null || explained.has(`${account.name} ${day}`)
          ? []
          : { ...ofDay(account, day), part: heldCode, detail: heldReason! },
      );
      return held(state, now);
    },
    describe: ({ key, items, today }) => {
      const loss = losses[items[0]!.part as HeldCode];
      const applied = loss
        ? ''
        : 'Each run fetches the day again and applies a complete response automatically. ';
      return {
        severity: 'warning',
        what: `figures kept: ${loss ?? 'the new ones look incomplete'}`,
        explanation: `${detailsOf(items, today)} ${applied}Nothing to do, unless you know that the new ones are right.`,
        steps: [
          acceptStep('To replace the figures with the new ones', items, today),
          dismiss('To keep the earlier figures and end the alert', key),
        ],
      };
    },
  },
  DAYS_PROVISIONAL: {
    find: eachDay((account, { day, state, heldCode, anomalies, ...each }) => {
      const open = openAnomalies(anomalies);
      // Quarantined records have an alert of their own.
      if (open.length === 0 || open.every(({ code }) => isQuarantined(account, code, day))) return [];
      if (state !== 'provisional' || !each.isOver || heldCode !== null) return [];
      return { ...ofDay(account, day), ...ofSigns(account, open), detail: describeAnomalies(open)! };
    }),
    describe: ({ items, today, state }) => ({
      severity: 'warning',
      what: 'provisional figures',
      explanation: `${detailsOf(items, today)} The figures may be wrong, and digests mark them as provisional. ${whatConfirms(items)} If they change, a corrected digest follows.`,
      retried: true,
      steps: [
        seeCampaigns(items),
        acceptStep('If that is right, to confirm it for these days', items, today),
        ...acceptAlways('If it is always like that', items, state),
      ],
    }),
  },
  NEW_REMARK: {
    find: ({ accounts }) =>
      accounts.flatMap((account) => [
        // The newest loaded day says what the service does now.
        ...account.days
          .filter(({ state }) => state === 'loaded' || state === 'provisional')
          .slice(-1)
          .flatMap(({ day, anomalies }): Items => {
            const remarks = anomalies.filter(
              ({ code, confirmedBy }) => code === 'remark' && confirmedBy === 'figures',
            );
            if (remarks.length === 0) return [];
            return [
              { ...ofDay(account, day), ...ofSigns(account, remarks), detail: describeAnomalies(remarks)! },
            ];
          }),
        ...remarkedList(account),
      ]),
    describe: ({ items, state }) => ({
      severity: 'warning',
      what: 'the service says something new',
      explanation: `${withStop(capitalize(firstThree(detailsIn(items))))} ${
        items.some(({ day }) => day !== undefined)
          ? 'It also says so beside figures that are confirmed and unchanged, so it marks no day.'
          : `${listsAlone} As long as nobody accepts it, no client becomes absent.`
      }`,
      steps: acceptAlways("If it doesn't concern the figures or the list, to be asked no more", items, state),
    }),
  },
  UNUSUAL_VOLUME: {
    find: eachDay((account, { day, attempts, typicalAttempts: typical }) => {
      if (attempts === null || typical === null || !isUnusuallyFew(attempts, typical)) return [];
      const detail = `${formatCountOf(attempts, 'attempt')}, on a weekday that usually has ${formatCount(Math.round(typical))}`;
      return { ...ofDay(account, day), detail };
    }),
    describe: ({ key, items, today }) => ({
      severity: 'warning',
      what: 'unusually few attempts',
      explanation: `${detailsOf(items, today)} Nothing else looks wrong, so digests show the figures as usual. The alert ends when a second night returns the same figures.`,
      steps: [seeCampaigns(items), dismiss('If the figures are right', key)],
    }),
  },
  NO_CAMPAIGNS_YET: {
    find: ({ accounts }) =>
      accounts
        .filter(({ daysWithoutCampaigns }) => daysWithoutCampaigns >= minDaysWithoutCampaigns)
        .map((account) => ({ id: account.name, account, count: account.daysWithoutCampaigns })),
    describe: ({ key, items, today }) => {
      // A dated run or a backfill sets no first expected day.
      const isFirstWeek = items.every(
        ({ account }) => account!.since === null || today < addDays(account!.since, 8),
      );
      return {
        // A new account may not have called yet.
        severity: isFirstWeek ? 'note' : 'warning',
        what: 'no campaigns yet',
        explanation: `The service has listed no campaign on ${plural(items.length, `any of the ${items[0]!.count} loaded days`, 'any loaded day of these accounts')}. If there were calls, the figures are missing rather than 0: the token may belong to another account, or the service leaves out the last day of a range.`,
        steps: [
          seeResponse,
          manual('If there were calls, ask the provider whose token it is, or set WINDOW_END=next-day'),
          dismiss('If there were no calls', key),
        ],
      };
    },
  },
  LISTS_CUT: {
    find: ({ accounts }) =>
      accounts.flatMap((account): Items => {
        const { name, cutAt } = account;
        return cutAt === null ? [] : [{ id: `${name} ${cutAt}`, account, count: cutAt }];
      }),
    describe: ({ key, items }) => {
      const lengths = unique(items.map(({ count }) => formatCount(count!))).join(' or ');
      return {
        severity: 'note',
        what: `lists of exactly ${lengths} campaigns`,
        explanation: `The service listed exactly ${lengths} campaigns on each of the last three days with calls. If it cuts its lists there, campaigns are missing, and the figures are too low.`,
        steps: [
          manual(`Ask the provider whether campaignSummary lists more than ${lengths} campaigns`),
          dismiss('If nothing is missing', key),
        ],
      };
    },
  },
  RECORDS_QUARANTINED: {
    find: ({ accounts }) =>
      accounts.flatMap((account) =>
        account.quarantined.map(({ day, reason, records }) => ({
          account,
          signs: [
            {
              kind: 'anomaly',
              operation: 'campaignSummary',
              sign: `unreadable/${reason}`,
              account: account.name,
            } as const,
          ],
          ...(day === null ? {} : { day }),
          // A dismissal is about this account and reason, whatever the day.
          id: `${account.name} ${day === null ? 'clients' : 'campaigns'} ${reason}`,
          detail: reason,
          count: records,
        })),
      ),
    describe: describeQuarantined,
  },
  SAME_CAMPAIGNS: {
    // Statistics belong to the account of the token: accounts with the same campaigns are one, counted again and again.
    find: ({ accounts, sameCampaigns }) => {
      const byName = new Map(accounts.map((account) => [account.name, account]));
      return sameCampaigns.flatMap((set) =>
        set.accounts.flatMap(({ name }) =>
          set.days.map((day) => ({ id: name, part: set.accounts[0]!.name, account: byName.get(name)!, day })),
        ),
      );
    },
    describe: ({ items }) => ({
      severity: 'warning',
      what: 'same campaigns',
      explanation:
        "These accounts have the same campaigns with the same counts: probably one uses another's token, so it shows the other's figures. A sum over them counts the campaigns more than once. It changes no day: the figures are as the service sends them.",
      steps: [
        writeTokens(
          'Ask the provider which account each token belongs to, and write the right tokens',
          items,
        ),
        typed('Then, to fetch what each account has itself', 'run', ...windowOptions(items)),
        typed(
          "Then, to see how it differs from what is loaded, and to replace the other account's figures with it",
          'accept',
          ...windowOptions(items),
        ),
        typed(
          'If they really share these campaigns',
          'accept',
          '--always',
          'same_campaigns',
          ...accountOptions(items),
        ),
      ],
    }),
  },
  CLIENTS_MISSING: {
    find: ({ accounts }) =>
      accounts.flatMap((account) => {
        const { implausibleSince: since, implausibleMissing: count } = account.walk;
        return since === null ? [] : { id: `${account.name} ${since}`, account, count, detail: since };
      }),
    describe: ({ key, items, today }) => ({
      severity: 'warning',
      what: `${formatCountOf(total(items), 'client')} missing`,
      explanation: `The service has listed less than half of the clients ${formatSince(detailsIn(items), today)}. That is usually an error of the service, so the missing clients stay as they were. Figures are not affected.`,
      steps: [
        typed('To see what the service lists', 'clients', ...accountOptions(items)),
        manual('Ask the provider why the others are missing'),
        dismiss('If they are really gone, to end the alert (they stay in the list)', key),
      ],
    }),
  },

  DIGEST_FAILED: {
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
        severity: 'error',
        what: `digest not sent (${errorCatalogue[error].summary})`,
        explanation: `${lastSentence(items)} Loaded figures are not affected.`,
        retried: true,
        steps: [...(error === 'INTERNAL' ? [reportIt] : []), runNow('To send now')],
      };
    },
  },
  MAIL_GIVEN_UP: {
    find: findUnsent('given_up'),
    describe: (alert) => {
      const { step, look } = failureOf(alert);
      return {
        severity: 'error',
        what: `mail given up${step}`,
        explanation: `${capitalize(quoted(alert.items))} It failed on seven run dates, so it won't be resent automatically.`,
        steps: [...look, ...resendSteps(alert, 'Then, to send it again', "If this mail isn't needed")],
      };
    },
  },
  MAIL_UNKNOWN: {
    find: findUnsent('unknown'),
    describe: (alert) => ({
      severity: 'error',
      what: 'mail may not have arrived',
      explanation: `${capitalize(quoted(alert.items))} The mail may have arrived, so it won't be resent automatically.`,
      steps: [
        manual('Ask the recipient whether it arrived'),
        ...resendSteps(alert, 'If it did not', 'If it did'),
      ],
    }),
  },
  MAIL_FAILED: {
    find: findUnsent('pending', 'sending', 'failed'),
    describe: describeFailedMail,
  },
  DIGEST_INCOMPLETE: {
    find: ({ incomplete }) => incomplete.map((digest) => ({ id: digestName(digest), digest })),
    describe: () => ({
      severity: 'note',
      what: 'sent with incomplete or provisional figures',
      explanation: 'Nothing to do: a corrected digest follows automatically if the figures change.',
      steps: [],
    }),
  },
} as const satisfies { readonly [code: string]: Condition };

export type AlertCode = keyof typeof conditions;

/** Codes of alerts, the gravest first. */
export const alertCodes = Object.keys(conditions) as AlertCode[];

/** The error that keeps runs from beginning, or ended the last one; null if nothing did, or somebody interrupted it. */
const whyRunFailed = ({ lastRun, preventing }: WarehouseState) =>
  preventing ?? (lastRun?.isInterrupted ? null : (lastRun?.error ?? null));

const isInterrupted = ({ lastRun, preventing }: WarehouseState): boolean =>
  preventing === null && lastRun?.isInterrupted === true;

/** Says which figures are missing because a run failed. */
function lackedBy(items: Items, today: Day): string {
  if (daysOf(items).length === 0)
    return 'Loaded figures stay. Days that this run was to load are missing until a run succeeds.';
  return `${withoutFigures(items, today)} until a run succeeds.`;
}

function stepBeforeRun(error: ErrorCode): AlertStep {
  if (error === 'SCHEMA_TOO_OLD') return typed('To bring the schema to this version', 'migrate');
  if (error === 'DATABASE_FULL') return manual('Free space on the disk of the database');
  return error === 'INTERNAL' ? reportIt : seeFault;
}

/** Clocks that are kept right differ by seconds. */
const maxClocksApartMs = 600_000;

/** Finds the days of accounts that a condition holds for. */
function eachDay(find: (account: AccountState, day: DayState) => Item | readonly []): Condition['find'] {
  return ({ accounts }) => accounts.flatMap((account) => account.days.flatMap((day) => find(account, day)));
}

/** An error that no condition is named after is as unexpected as an internal one. */
function failureCode(code: ErrorCode): string {
  if (code === 'NOT_REQUESTED') return 'TOKEN_REFUSED';
  return code in conditions ? code : 'INTERNAL';
}

/** The status is part of the cause: other statuses are other alerts. */
const partOf = (code: string, status: string | null) =>
  code === 'REQUEST_REFUSED' || code === 'SERVICE_UNAVAILABLE' || code === 'INVALID_RESPONSE' ? status : null;

/** Days and client lists whose last attempt failed, as one cause: what hit the day hits the list, too. */
function findFailed(wanted: string): Condition['find'] {
  return ({ accounts }) =>
    accounts.flatMap((account) => [
      ...account.days.flatMap(({ code, status, sign, reason, day, ...each }): Items => {
        if (code === null || failureCode(code) !== wanted) return [];
        const signs = unknownSigns('campaignSummary', account, sign);
        const part = signs === undefined ? partOf(wanted, status) : partOfSigns(signs);
        const isUnrequested = code === 'NOT_REQUESTED';
        const item = { ...ofDay(account, day), part, status, signs, detail: reason!, lacks: isOpen(each) };
        return [{ ...item, isUnrequested }];
      }),
      ...failedList(account).filter(({ code }) => code === wanted),
      ...(wanted === 'WINDOW_UNFINISHED' ? unfinishedDays(account) : []),
    ]);
}

/** All that an answer without records said; nothing if the error is another one. */
const unknownSigns = (
  operation: Accepted['operation'],
  { name: account }: AccountState,
  sign: string | null,
): ObservedSign[] | undefined => (sign === null ? undefined : [{ kind: 'empty', operation, sign, account }]);

function failedList(account: AccountState): (Item & { readonly code: string })[] {
  const { name, days, walk } = account;
  if (!needsCompleteWalk(walk)) return [];
  // What hits a day hits the list, too: only if all days load, the list alone is refused.
  const failedDay = days.findLast(({ code }) => code !== null);
  const ofDay = walk.errorCode === 'CLIENT_LIST_REFUSED' ? failedDay : undefined;
  const errorCode = ofDay?.code ?? walk.errorCode ?? 'WALK_INCOMPLETE';
  const code = failureCode(errorCode);
  const status = ofDay === undefined ? walk.errorStatus : ofDay.status;
  const detail = (ofDay === undefined ? walk.reason : ofDay.reason)!;
  const isUnrequested = errorCode === 'NOT_REQUESTED';
  const signs =
    code === 'UNKNOWN_ANSWER' ? unknownSigns('getClients', account, walk.signs[0] ?? null) : undefined;
  const part = signs === undefined ? partOf(code, status) : partOfSigns(signs);
  return [{ id: `${name} clients`, account, code, part, status, signs, detail, isUnrequested }];
}

/** Days that no worker could finish, and no run attempted since. Older ones are those of a backfill, which says so. */
function unfinishedDays(account: AccountState): Items {
  const attempted = new Set(account.days.filter(({ code }) => code !== null).map(({ day }) => day));
  return account.unfinished
    .filter(({ day }) => day >= account.catchUpFrom && !attempted.has(day))
    .map(({ day, error, loaded }) => ({
      ...ofDay(account, day),
      detail: error ?? 'the worker ended before it was done',
      lacks: !loaded,
    }));
}

/** The condition of an error, and what a person has to do first; null if waiting is enough. */
function failureCondition(
  code: string,
  first: (status: string | null | undefined, alert: Alert) => AlertStep | null,
): Condition {
  return {
    find: findFailed(code),
    describe: (alert) => describeFailed(alert, [first(alert.items[0]!.part, alert) ?? []].flat()),
  };
}

/** What lasts for three run dates is not called temporary. */
function lastsForDays({ key, state, today }: Alert): boolean {
  const since = state.recorded.get(key)?.since ?? today;
  return since <= addDays(today, -2);
}

/** Days and client lists that failed: what it means for the figures, why, and when it is tried again. */
function describeFailed(
  { code, items, today }: Alert,
  first: readonly AlertStep[],
  why = lastDetail(items),
): Text {
  const short = errorCatalogue[code as ErrorCode].summary;
  const { part } = items[0]!;
  const statuses = part == null ? [] : [/^\d/.test(part) ? `status ${part}` : part];
  const lists = items.filter(({ day }) => day === undefined);
  const list = lists.length === 0 ? [] : [`client ${plural(lists.length, 'list')}`];
  const isOnlyLists = lists.length === items.length && code !== 'TOKEN_REFUSED';
  const sentences = [
    capitalize(withStop(`${figuresOf(items, today)}${why}`)),
    ...(lists.length === 0 ? [] : [lastComplete(lists, today)]),
    ...(isOnlyLists ? [listsAlone] : []),
  ];
  const then = first.at(-1)?.command ? 'Then, once that is corrected' : 'Then';
  const waitFor = code === 'SERVICE_UNAVAILABLE' ? 'To run as soon as the service is back' : undefined;
  return {
    severity: 'error',
    // The summary of an incomplete list names it.
    what:
      isOnlyLists && code !== 'WALK_INCOMPLETE'
        ? `${list} not loaded: ${[short, ...statuses].join(', ')}`
        : [short, ...statuses.map((status) => `(${status})`)].join(' '),
    more: isOnlyLists ? [] : list,
    explanation: sentences.join(' '),
    retried: code !== 'TOKEN_REFUSED',
    steps: [...first, runNow(first.length === 0 ? waitFor : then)],
  };
}

const listsAlone = 'Figures are not affected: only names and balances of clients may be out of date.';

/** The beginning of a sentence that says why. */
function figuresOf(items: Items, today: Day): string {
  const days = daysOf(items);
  if (items.some(({ lacks }) => lacks)) return `${withoutFigures(items, today)}: `;
  return days.length === 0
    ? ''
    : `${formatDates(days, today)} ${plural(days.length, 'keeps', 'keep')} the figures of an earlier run: `;
}

function lastComplete(lists: Items, today: Day): string {
  const dates = unique(lists.flatMap(({ account }) => account!.walk.completeRunDate ?? [])).sort();
  if (dates.length === 0) return 'No client list has been complete yet.';
  const when = dates.length === 1 ? `on ${formatDate(dates[0]!, today)}` : between(dates, today);
  return `${plural(lists.length, 'The client list was', 'The client lists were')} last complete ${when}.`;
}

const seeResponse = typed('To see what the service returns', 'doctor');
const seeCampaigns = (items: Items): AlertStep =>
  typed('To see what the service returns now', 'campaigns', ...rangeOptions(items), ...accountOptions(items));
const seeFault = typed('To see what is wrong, and what to correct', 'doctor');
const reportIt = manual("Report it as an issue of Callsheet, with the error's stack in the run's log");

/** Dismisses an alert that can't be fixed. */
const dismiss = (text: string, key: string): AlertStep => typed(text, 'status', '--dismiss', key);

/** A scheduled run begins within this time. */
const startsWithin = { minutes: 1 };

/**
 * Days that nobody attempted, and that the last run left, or the next one is late for: others it loads by itself. While a run is
 * running, nothing becomes late.
 */
function missingDays({ accounts, lastRun, running }: WarehouseState, now: Temporal.Instant): Item[] {
  const dueAt = lastRun?.nextScheduledAt.add(startsWithin);
  const isLate = dueAt ? Temporal.Instant.compare(running?.startedAt ?? now, dueAt) >= 0 : running === null;
  return accounts.flatMap((account) => {
    const attempted = new Set(unfinishedDays(account).map(({ day }) => day));
    const isLeft = (day: Day) =>
      lastRun !== null &&
      isOver(day, account.timeZone, lastRun.startedAt) &&
      (lastRun.retryAt === null || day !== account.yesterday);
    return account.days
      .filter((each) => isOpen(each) && each.code === null && !attempted.has(each.day))
      .filter(({ day }) => isLate || isLeft(day))
      .map(({ day }) => ({ ...ofDay(account, day), lacks: true }));
  });
}

/** Losses of figures: only a person applies them. */
const losses: { readonly [code in HeldCode]?: string } = {
  emptied: 'the service now reports nothing',
  halved: 'the service now reports far less',
  zeroed: 'the service now reports 0 only',
  unreported: 'the service now leaves out counts',
};

/** Responses that are held because they are another account's: their alert says what to do. */
const heldAsShared = ({ sameCampaigns }: WarehouseState): ReadonlySet<string> =>
  new Set(
    sameCampaigns.flatMap(({ accounts, days }) =>
      accounts.flatMap(({ name }) => days.map((day) => `${name} ${day}`)),
    ),
  );

/** The signs of an item, which all of its alert have, whatever their numbers. */
function ofSigns({ name: account }: AccountState, anomalies: readonly Anomaly[]) {
  const signs = anomalies.map((anomaly) => ({ ...signOf(anomaly), account }));
  return { signs, part: partOfSigns(signs) };
}

function partOfSigns(signs: readonly ObservedSign[]): string {
  const ids = unique(signs.map(signId)).sort();
  return ids.join('+');
}

/** Accepts each sign for good: as it is or, if only its numbers differ, whatever these are. */
function acceptAlways(text: string, items: Items, { accounts }: WarehouseState): AlertStep[] {
  const whose = namesOf(items).length === accounts.length ? [] : accountOptions(items);
  const byId = Map.groupBy(
    items.flatMap(({ signs = [] }) => signs),
    signId,
  );
  return [...byId].map(([id, signs]) => {
    const all = unique(signs.map(({ sign }) => sign));
    const sign = all.length === 1 ? all[0]! : starred(signs[0]!);
    return typed(byId.size === 1 ? text : `${text}: ${sign}`, 'accept', '--always', id, ...whose);
  });
}

/** A client list beside whose records the service says something that nobody accepted. */
function remarkedList(account: AccountState): Items {
  const { verdict, reason } = account.walk;
  if (verdict !== 'remarked' || account.walk.signs.length === 0) return [];
  const signs = account.walk.signs.map(
    (sign): ObservedSign => ({ kind: 'remark', operation: 'getClients', sign, account: account.name }),
  );
  return [{ id: `${account.name} clients`, account, signs, part: partOfSigns(signs), detail: reason! }];
}

/** Accepts all of them at once, and with them what else is between the first and the last. */
function acceptStep(what: string, items: Items, today: Day): AlertStep {
  const days = daysOf(items);
  const whose = accountOptions(items).length === 0 ? ' for any account' : '';
  const more = `, and all else that is held or provisional ${between(days, today)}${whose}`;
  return typed(`${what}${days.length === 1 ? whose : more}`, 'accept', ...windowOptions(items));
}

const isQuarantined = ({ quarantined }: AccountState, code: Anomaly['code'], day: Day): boolean =>
  code === 'unreadable' && quarantined.some((group) => group.day === day);

/** Repetition shows that something was decided, not that it is complete. */
function whatConfirms(items: Items): string {
  const isOfCalls = items.every(({ signs = [] }) => signs.every(({ sign }) => sign === 'no_calls'));
  return isOfCalls
    ? 'Nothing to do: they are confirmed once the service lists campaigns of a later day, and another night returns the same.'
    : 'They are confirmed once the service sends the day without that, or once you say that it is right.';
}

const unusualShare = 0.4;
const minTypicalAttempts = 100;

/** Returns whether a day has unusually few attempts (docs/concepts.md). */
export const isUnusuallyFew = (attempts: number, typical: number): boolean =>
  typical >= minTypicalAttempts && attempts < unusualShare * typical;

/** An account that lists nothing for so many days may be another one's, or its requests end too early. */
const minDaysWithoutCampaigns = 3;

/** Returns whether the figures of its day lack the records; null if the day isn't loaded, or a response is held. */
function areMissing({ account, day }: Item): boolean | null {
  const state = account!.days.find((each) => each.day === day);
  if (state?.anomalies.some(({ code }) => code === 'unreadable')) return true;
  // Nothing speaks against the day: its records repeat what is loaded.
  return state === undefined || (!isOpen(state) && state.code === null && !state.held) ? false : null;
}

function describeQuarantined({ key, items, today, state }: Alert): Text {
  const ofDays = items.filter(({ day }) => day !== undefined);
  const isOfLists = ofDays.length < items.length;
  const low = ofDays.filter((each) => areMissing(each) === true);
  const repeated = ofDays.filter((each) => areMissing(each) === false);
  const lacking = ofDays.filter((each) => areMissing(each) !== false);
  const datesOf = (some: Items) => formatDates(daysOf(some), today);
  const [example] = items.flatMap(({ account }) =>
    account!.quarantined.flatMap((group) => group.example ?? []),
  );
  const sentences = [
    `${formatCountOf(total(items), 'record')}${ofDays.length === 0 ? ' of the client list' : ''} (${firstThree(detailsIn(items))}).`,
    ...(low.length > 0 ? [`They are missing from the figures of ${datesOf(low)}.`] : []),
    ...(repeated.length > 0
      ? [`On ${datesOf(repeated)} they repeat records that are loaded, so nothing is missing.`]
      : []),
    ...(isOfLists ? ['Known clients keep the name and balance loaded before; new clients are missing.'] : []),
    'The alert ends when the service sends readable records, or stops sending them.',
    `For example: ${example ?? 'none is kept'}`,
  ];
  return {
    severity: 'warning',
    what: "records can't be read",
    more: ofDays.length === 0 ? ['client list'] : [],
    explanation: sentences.join(' '),
    steps: [
      ...(isOfLists ? [runNow('To fetch the client list again')] : []),
      ...(lacking.length > 0 ? [typed('To fetch their days again', 'run', ...windowOptions(lacking))] : []),
      typed('To see all of them', 'status', '--json'),
      ...(lacking.length > 0
        ? acceptAlways("If you don't need them, to confirm their days without them", lacking, state)
        : [dismiss("If you don't need them", key)]),
    ],
  };
}

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
  const by = replies.some((reply) => reply.startsWith('"')) ? 'the mail server replied ' : '';
  return withStop(`${by}${firstThree(replies)}`);
}

/** Sends the newest message again, or none of them. */
function resendSteps({ key, items }: Alert, text: string, needless: string): AlertStep[] {
  const others = items.length - 1;
  return [
    resend(items[0]!.message!, text),
    ...(others === 0 ? [] : [manual(`For the other ${others}, status --json has the same command`)]),
    dismiss(needless, key),
  ];
}

/** Sends a message again that may or may not have arrived. */
export const resend = (
  { digest, day, recipient }: Pick<UndeliveredMessage, 'digest' | 'day' | 'recipient'>,
  text = 'To send it again',
): AlertStep => typed(text, 'digest', '--day', day, '--digest', digest, '--to', recipient, '--resend');

/** What each step of a session is, and what to look at. */
export const mailSteps: Readonly<Record<DeliveryStep, { readonly what: string; readonly look: string }>> = {
  connection: {
    what: "mail server can't be used",
    look: 'Check host and port in SMTP_URL, and the network; if the server refuses this machine, ask its administrator',
  },
  tls: {
    what: "connection to the mail server can't be secured",
    look: 'Correct SMTP_URL or the certificate, as the reply says',
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

/** What failed, and what to look at, by the step and code that all of them have. */
function failureOf({ items, state }: Alert) {
  const { step, code } = items[0]!.message!;
  if (step === null) return { what: 'mail not sent yet', step: '', look: [] };
  const { what, look } = mailSteps[step];
  const isTemporary = code !== null && code < 500;
  const isOfRecipient = step === 'recipient';
  return {
    what: `${what}${isTemporary ? ' for now' : ''}${code === null ? '' : ` (${code})`}`,
    step: ` (${[step, code ?? []].flat().join(', ')})`,
    look: [manual(isOfRecipient ? look.replace('DIGEST_TO or DIGESTS_FILE', state.recipients) : look)],
  };
}

function describeFailedMail(alert: Alert): Text {
  const { items, state } = alert;
  const { step } = items[0]!.message!;
  const { what, look } = failureOf(alert);
  const isOfServer = step !== null && step !== 'recipient' && step !== 'folder';
  const test = typed('To send a test message', 'doctor', '--mail-to', state.testAddress);
  return {
    severity: 'error',
    what,
    explanation: `Not sent yet: ${quoted(items)}${step === null ? '' : ' It is given up after seven run dates.'}`,
    retried: true,
    steps: [
      ...look,
      ...(isOfServer ? [test] : []),
      runNow(step === null ? 'To send now' : 'Then, to send it'),
    ],
  };
}
