import type { AlertStep } from '../../model/alert.ts';
import type { Day } from '../../model/day.ts';
import { type ErrorCode, errorCatalogue } from '../../model/errors.ts';
import { formatDays, withStop } from '../../support/english.ts';
import { walkConcerns } from '../walk-status.ts';
import type { AccountContext, FailedDay } from './account-alerts.ts';
import type { FoundAlert } from './diagnose.ts';
import { backfills, dismiss, manual, runNow, typed } from './steps.ts';

/** The errors of an account's days and client list that the last attempt at them ended in: of one code one alert. */
export function errorAlerts(context: AccountContext): FoundAlert[] {
  const { failed } = context.account;
  const listError = errorOfList(context);
  const codes = new Set([...(listError === null ? [] : [listError]), ...failed.map(({ code }) => code)]);
  return [...codes].map((code) =>
    errorAlert(
      context,
      code,
      failed.filter((day) => day.code === code),
      listError === code,
    ),
  );
}

/** The error that the account's client list has an alert for; null where that is no error of a request. */
export function errorOfList({ account: { walk } }: Pick<AccountContext, 'account'>): ErrorCode | null {
  const isConcern = walkConcerns(walk).some(({ kind }) => kind === 'incomplete');
  return isConcern ? (walk.errorCode ?? 'WALK_INCOMPLETE') : null;
}

function errorAlert(
  context: AccountContext,
  code: ErrorCode,
  failed: readonly FailedDay[],
  ofList: boolean,
): FoundAlert {
  const { name, walk } = context.account;
  const days = failed.map(({ day }) => day);
  const key = `${code}/${name}`;
  const line = failed.at(-1)?.line ?? walk.problem!;
  return {
    code,
    key,
    account: name,
    severity: 'error',
    title: `${name}: ${errorCatalogue[code].summary} for ${[...(ofList ? ['clients'] : []), ...(days.length > 0 ? [formatDays(days)] : [])].join(', ')}`,
    cause: [withStop(line), ...(ofList ? [sinceLastWalk(context)] : []), whatNext(context, code, days)].join(
      ' ',
    ),
    days,
    affects: [...(ofList ? ['clients'] : []), ...days],
    retried: code !== 'TOKEN_REFUSED',
    steps: [...firstSteps(code), ...loadSteps(context, days), ...lastSteps(key, days, context)],
  };
}

function sinceLastWalk({ account: { walk } }: AccountContext): string {
  const last =
    walk.completeRunDate === null
      ? 'There is no complete walk over the client list yet'
      : `The last complete walk over the client list is of ${walk.completeRunDate}`;
  return `${last}; until the next, nobody is marked absent.`;
}

function whatNext(context: AccountContext, code: ErrorCode, days: readonly Day[]): string {
  if (code === 'TOKEN_REFUSED') return 'Every run fails with it until somebody replaces the token.';
  const old = days.filter((day) => day < context.account.firstCaughtUp);
  if (old.length > 0) return 'Runs catch up on CATCH_UP_DAYS only, so these days need a command.';
  const { lastRun } = context;
  if (lastRun?.state === 'waiting') return `The run tries again at ${lastRun.retryAt!.slice(11, 16)} UTC.`;
  return 'The next run tries again.';
}

const examined: ReadonlySet<ErrorCode> = new Set(['REQUEST_REFUSED', 'INVALID_RESPONSE', 'WALK_INCOMPLETE']);

function firstSteps(code: ErrorCode): AlertStep[] {
  if (code === 'TOKEN_REFUSED')
    return [manual('Write the new token to SIDTOKEN, or where ACCOUNTS_FILE names it')];
  if (code === 'INTERNAL') return [manual('Report it, with the stack in the log of the run')];
  return examined.has(code) ? [typed('To see what the service says', 'doctor')] : [];
}

/** Days within `CATCH_UP_DAYS` and the client list are the next run's; older days need a command of their own. */
function loadSteps({ account }: AccountContext, days: readonly Day[]): AlertStep[] {
  const old = days.filter((day) => day < account.firstCaughtUp);
  const isOld = days.length > 0 && old.length === days.length;
  return [...(isOld ? [] : [runNow()]), ...backfills(account.name, old)];
}

/** Days that the service no longer has can't be mended. */
function lastSteps(key: string, days: readonly Day[], { account }: AccountContext): AlertStep[] {
  const hasOld = days.some((day) => day < account.firstCaughtUp);
  return hasOld ? [dismiss('If the service no longer has them', key)] : [];
}
