import type { AlertStep } from '../../model/alert.ts';
import type { Day } from '../../model/day.ts';
import { type ErrorCode, errorCatalogue } from '../../model/errors.ts';
import type { WalkState } from '../../model/walk.ts';
import { formatDays, withStop } from '../../support/english.ts';
import { needsCompleteWalk } from '../clients/walk-status.ts';
import type { AccountContext, AccountState, FailedDay, FoundAlert } from './state.ts';
import { beyondCatchUp, dismiss, loadSteps, manual, runNow, typed } from './steps.ts';

/** The last errors of an account's days and client list: one alert for each code. */
export function errorAlerts(context: AccountContext): FoundAlert[] {
  const { failed } = context.account;
  const listError = errorOfList(context);
  const codes = new Set([...(listError === null ? [] : [listError]), ...failed.map(({ code }) => code)]);
  return [...codes].map((code) => {
    const days = failed.filter((day) => day.code === code);
    if (code === 'TOKEN_REFUSED' && days.length === 0) return refusedList(context);
    return errorAlert(context, code, days, listError === code);
  });
}

/** The error of the account's client list that gets an alert; null if no request failed. */
export function errorOfList({ account: { walk } }: Pick<AccountContext, 'account'>): ErrorCode | null {
  return needsCompleteWalk(walk) ? (walk.errorCode ?? 'WALK_INCOMPLETE') : null;
}

/** The service refuses the token for the client list, but for no day. */
function refusedList(context: AccountContext): FoundAlert {
  const { name, label, walk, tokenPlace } = context.account;
  const key = `TOKEN_REFUSED/${name}`;
  return {
    code: 'TOKEN_REFUSED',
    key,
    account: name,
    severity: 'error',
    title: `${label}: client list refused`,
    cause: `${withStop(walk.reason!)} Only getClients is refused: campaigns are requested all the same. ${sinceLastWalk(context)}`,
    days: [],
    affects: ['clients'],
    retried: false,
    steps: [
      manual(`Ask the provider to permit getClients, or write another token to ${tokenPlace}`),
      runNow('Then'),
      dismiss('If the account may not list clients', key),
    ],
  };
}

function errorAlert(
  context: AccountContext,
  code: ErrorCode,
  failed: readonly FailedDay[],
  ofList: boolean,
): FoundAlert {
  const { name, label, walk, firstCaughtUp } = context.account;
  const days = failed.map(({ day }) => day);
  const old = days.filter((day) => day < firstCaughtUp);
  const key = `${code}/${name}`;
  const before = firstSteps(code, context.account);
  const detail = failed.at(-1)?.detail ?? walk.reason!;
  return {
    code,
    key,
    account: name,
    severity: 'error',
    title: `${label}: ${describeError(code, days, ofList, walk)}`,
    cause: [
      withStop(detail),
      ...(ofList ? [sinceLastWalk(context)] : []),
      ...(ofList || old.length < days.length ? [whatNext(context, code)] : []),
      ...beyondCatchUp(old),
    ].join(' '),
    days,
    affects: [...(ofList ? ['clients'] : []), ...days],
    retried: code !== 'TOKEN_REFUSED' && old.length === 0,
    steps: [
      ...before,
      ...loadSteps(context.account, days, key, ofList, before.length > 0 ? 'Then' : undefined),
    ],
  };
}

function describeError(code: ErrorCode, days: readonly Day[], ofList: boolean, walk: WalkState): string {
  if (code === 'WALK_INCOMPLETE' && ofList)
    return `no complete walk over the client list since ${walk.incompleteSince}`;
  const what = [...(ofList ? ['the client list'] : []), ...(days.length > 0 ? [formatDays(days)] : [])];
  return `${errorCatalogue[code].summary} for ${what.join(', ')}`;
}

function sinceLastWalk({ account: { walk } }: AccountContext): string {
  const last =
    walk.completeRunDate === null
      ? 'There is no complete walk over the client list yet'
      : `The last complete walk over the client list is of ${walk.completeRunDate}`;
  return `${last}; until the next, nobody is marked absent.`;
}

function whatNext({ nextAttempt }: AccountContext, code: ErrorCode): string {
  return code === 'TOKEN_REFUSED'
    ? 'Every run fails with it until somebody replaces the token.'
    : nextAttempt;
}

const examined: ReadonlySet<ErrorCode> = new Set(['REQUEST_REFUSED', 'INVALID_RESPONSE', 'WALK_INCOMPLETE']);

function firstSteps(code: ErrorCode, { tokenPlace }: AccountState): AlertStep[] {
  if (code === 'TOKEN_REFUSED') return [manual(`Write the new token to ${tokenPlace}`)];
  if (code === 'INTERNAL') return [manual('Report it, with the stack in the log of the run')];
  return examined.has(code) ? [typed('To see what the service says', 'doctor')] : [];
}
