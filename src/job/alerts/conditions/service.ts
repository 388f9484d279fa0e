import { type Accepted, canBeEmpty, type ObservedSign } from '../../../model/accepted.ts';
import type { AlertStep } from '../../../model/alert.ts';
import type { Day } from '../../../model/day.ts';
import { type ErrorCode, errorCatalogue } from '../../../model/errors.ts';
import { needsCompleteWalk } from '../../../model/walk.ts';
import {
  capitalize,
  formatCount,
  formatCountOf,
  formatDate,
  formatDates,
  plural,
  withStop,
} from '../../../support/english.ts';
import {
  acceptAlways,
  daysOf,
  detailsIn,
  dismiss,
  firstThree,
  type Item,
  type Items,
  lastDetail,
  lastSentence,
  manual,
  namesOf,
  ofDay,
  partOfSigns,
  reportIt,
  runNow,
  seeFault,
  typed,
  unique,
  windowOptions,
  withoutFigures,
  writeTokens,
} from '../items.ts';
import { type AccountState, isOpen } from '../state.ts';
import { type Alert, type Condition, lasts, type Text, untilItLasts } from './condition.ts';

export const serviceConditions = {
  TOKEN_REFUSED: {
    severity: 'error',
    kind: 'to do',
    find: findFailed('TOKEN_REFUSED'),
    describe: (alert) => {
      const { state } = alert;
      const refused = alert.items.filter(({ isUnrequested }) => !isUnrequested);
      // Their accounts may have left since.
      const items = refused.length > 0 ? refused : alert.items;
      const names = namesOf(items);
      const others = namesOf(alert.items).length - names.length;
      // A token that was accepted has loaded yesterday.
      const isEvery =
        names.length > 1 &&
        state.accounts.every((account) =>
          alert.items.some((item) => item.account === account && item.day === account.yesterday),
        );
      const every = isEvery
        ? ' Every token that was sent is refused: all have expired, the service blocks this address, or it has a fault.'
        : '';
      const unrequested =
        others === 0
          ? ''
          : ` ${formatCountOf(others, 'other account')} ${plural(others, 'was', 'were')} not requested, and ${plural(others, 'has', 'have')} no new figures: a run stops after ten refused tokens if none is accepted, and the next one begins with others.`;
      const ask = `Ask the provider for ${plural(names.length, 'a new token, and write it', 'new tokens, and write them')}`;
      const steps = [
        ...(isEvery ? [seeFault] : []),
        writeTokens(ask, items),
        manual('If the refusal is about something else, such as an IP address, ask the provider to allow it'),
      ];
      const why = `${withStop(firstThree(detailsIn(items)))}${every}${unrequested}`;
      const text = describeFailed({ ...alert, items }, steps, why);
      return { ...text, about: items, retried: state.lastRun?.retryAt != null };
    },
  },
  CLIENT_LIST_REFUSED: {
    severity: 'error',
    kind: 'to do',
    find: findFailed('CLIENT_LIST_REFUSED'),
    describe: ({ key, items, today }) => ({
      what: `client ${plural(items.length, 'list')} refused`,
      explanation: `${lastSentence(items)} Only the client list (getClients) is refused: the days loaded. If the token expired after that, the next day is refused, too. ${listsAlone} ${lastComplete(items, today)}`,
      steps: [
        seeFault,
        writeTokens('Else ask the provider to allow getClients, or for a new token, and write it', items),
        runNow('Then'),
        dismiss("If the token isn't meant to list clients", key),
      ],
    }),
  },
  UNKNOWN_ANSWER: {
    severity: 'error',
    kind: 'to do',
    find: findFailed('UNKNOWN_ANSWER'),
    describe: (alert) => {
      const { items, state } = alert;
      const signs = unique(items.flatMap(({ signs: [sign] = [] }) => sign?.sign ?? []));
      const quoted = firstThree(signs.map((sign) => `"${sign}"`));
      const isOfDays = items.every(({ day }) => day !== undefined);
      const isEmpty = signs.every(canBeEmpty);
      const accepting = isOfDays ? 'If it always means that' : 'If it means that there are no clients';
      const steps = [
        isOfDays && isEmpty
          ? typed(
              `If there were no campaigns, to record that for ${plural(daysOf(items).length, 'this day', 'these days')}`,
              'accept',
              ...windowOptions(items),
            )
          : seeFault,
        ...(isEmpty ? acceptAlways(accepting, items, state) : []),
        writeTokens('If it is about the token, ask the provider for a new one, and write it', items),
        manual('If it is about something else, send it to the provider, and ask what to change'),
      ];
      const text = describeFailed(alert, steps, 'the service sends no list');
      return {
        ...text,
        what: 'unknown answer',
        more: items.every(({ day }) => day === undefined) ? ['client list'] : (text.more ?? []),
        explanation: `The service says ${quoted}, which its documentation doesn't show: Callsheet can't know what it means. ${text.explanation}`,
      };
    },
  },
  REQUEST_REFUSED: failureCondition('REQUEST_REFUSED', 'to do', () => [
    seeFault,
    manual('If none does, send the reply to the provider, and ask what to change'),
  ]),
  SERVICE_UNAVAILABLE: failureCondition('SERVICE_UNAVAILABLE', untilItLasts, (status, alert) => {
    if (status === '429') return manual('Set RATE_PER_SECOND to what the provider allows');
    // A service that is there and busy needs time alone, but not for days.
    return status?.startsWith('5') && !lasts(alert) ? [] : seeFault;
  }),
  INVALID_RESPONSE: failureCondition('INVALID_RESPONSE', untilItLasts, () => seeFault),
  INVALID_CONFIGURATION: failureCondition('INVALID_CONFIGURATION', 'to do', () => seeFault),
  WALK_INCOMPLETE: {
    severity: 'error',
    // Nobody can correct a list that changes.
    kind: (alert) => (isChanging(alert) ? 'to check' : untilItLasts(alert)),
    find: findFailed('WALK_INCOMPLETE'),
    describe: (alert) => (isChanging(alert) ? describeChanging(alert) : describeFailed(alert, [seeFault])),
  },
  INTERNAL: failureCondition('INTERNAL', 'to do', () => reportIt),
} as const satisfies Record<string, Condition>;

/** An error that no condition is named after is as unexpected as an internal one. */
function failureCode(code: ErrorCode): string {
  if (code === 'NOT_REQUESTED') return 'TOKEN_REFUSED';
  return code in serviceConditions ? code : 'INTERNAL';
}

/** Other signs and, of some errors, other statuses are other causes. */
function partOfItem(code: string, status: string | null, signs: ObservedSign[] | undefined): string | null {
  if (signs !== undefined) return partOfSigns(signs);
  return ['REQUEST_REFUSED', 'SERVICE_UNAVAILABLE', 'INVALID_RESPONSE'].includes(code) ? status : null;
}

/** Days and client lists whose last attempt failed, as one cause: what hit the day hits the list, too. */
function findFailed(wanted: string): Condition['find'] {
  return ({ accounts }) =>
    accounts.flatMap((account) => [
      ...account.days.flatMap(({ code, status, sign, reason, day, ...each }): Items => {
        if (code === null || failureCode(code) !== wanted) return [];
        const signs = unknownSigns('campaignSummary', account, sign);
        const part = partOfItem(wanted, status, signs);
        const isUnrequested = code === 'NOT_REQUESTED';
        const item = { ...ofDay(account, day), part, status, signs, detail: reason!, lacks: isOpen(each) };
        return [{ ...item, isUnrequested }];
      }),
      ...failedList(account).filter(({ code }) => code === wanted),
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
  // A refusal of days hits the list, too: only if all days load, the list alone is refused.
  const failedDay = days.findLast(({ code }) => code !== null);
  const ofDay = walk.errorCode === 'CLIENT_LIST_REFUSED' ? failedDay : undefined;
  const errorCode = ofDay?.code ?? walk.errorCode ?? 'WALK_INCOMPLETE';
  const code = failureCode(errorCode);
  const status = ofDay === undefined ? walk.errorStatus : ofDay.status;
  const detail = (ofDay === undefined ? walk.reason : ofDay.reason)!;
  const isUnrequested = errorCode === 'NOT_REQUESTED';
  const signs =
    code === 'UNKNOWN_ANSWER' ? unknownSigns('getClients', account, walk.signs[0] ?? null) : undefined;
  const part = walk.verdict === 'changed' ? 'changed' : partOfItem(code, status, signs);
  return [{ id: `${name} clients`, account, code, part, status, signs, detail, isUnrequested }];
}

/** The condition of an error, and what a person has to do first; nothing if waiting is enough. */
function failureCondition(
  code: string,
  kind: Condition['kind'],
  first: (status: string | null | undefined, alert: Alert) => AlertStep | readonly AlertStep[],
): Condition {
  return {
    severity: 'error',
    kind,
    find: findFailed(code),
    describe: (alert) => describeFailed(alert, [first(alert.items[0]!.part, alert)].flat()),
  };
}

/** The list changes during each walk of seven run dates. */
const isChanging = ({ items }: Alert) => items[0]!.part === 'changed';

function describeChanging({ items, today }: Alert): Text {
  const [list, its] = items.length === 1 ? ['The list', 'its'] : ['These lists', 'their'];
  return {
    what: `client ${plural(items.length, 'list keeps', 'lists keep')} changing`,
    explanation: `${list} changed while being fetched, on each of seven nights: clients came or went between ${its} pages. ${lastComplete(items, today)} ${listsAlone} Clients that are gone stay in the list until it is fetched whole.`,
    retried: true,
    steps: [runNow('To fetch it at an hour at which nobody changes clients')],
  };
}

/** Days and client lists that failed: what it means for the figures, why, and when it is tried again. */
function describeFailed(alert: Alert, first: readonly AlertStep[], why = lastDetail(alert.items)): Text {
  const { code, items, today } = alert;
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
  return {
    // The summary of an incomplete list names it.
    what:
      isOnlyLists && code !== 'WALK_INCOMPLETE'
        ? `${list} not loaded: ${[short, ...statuses].join(', ')}`
        : [short, ...statuses.map((status) => `(${status})`)].join(' '),
    more: isOnlyLists ? [] : list,
    explanation: sentences.join(' '),
    retried: code !== 'TOKEN_REFUSED',
    steps: [...first, runNow(first.length === 0 ? 'Once the service is back' : 'Then')],
  };
}

export const listsAlone = 'Figures are not affected, but names and balances of clients may be out of date.';

/** The beginning of a sentence that says why. */
function figuresOf(items: Items, today: Day): string {
  if (items.some(({ lacks }) => lacks)) return `${withoutFigures(items, today)}: `;
  const days = daysOf(items);
  if (days.length === 0) return '';
  return `${formatDates(days, today)} ${plural(days.length, 'keeps', 'keep')} the figures of an earlier run: `;
}

function lastComplete(lists: Items, today: Day): string {
  const dates = unique(lists.flatMap(({ account }) => account!.walk.completeRunDate ?? [])).sort();
  if (dates.length === 0) return 'No client list has been complete yet.';
  const [first, last] = [dates[0]!, dates.at(-1)!].map((date) => formatDate(date, today));
  const when = first === last ? `on ${first}` : `between ${first} and ${last}`;
  const never = lists.filter(({ account }) => account!.walk.completeRunDate === null).length;
  const others = never === 0 ? '' : `, and ${formatCount(never)} never ${plural(never, 'was', 'were')}`;
  return `${plural(lists.length, 'The client list was', 'The client lists were')} last complete ${when}${others}.`;
}
