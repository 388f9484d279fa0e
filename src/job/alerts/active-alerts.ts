import type { ActiveAlert } from '../../model/alert.ts';
import type { Day } from '../../model/day.ts';
import { type ErrorCode, errorCatalogue } from '../../model/errors.ts';
import type { WalkState } from '../../model/walk.ts';
import type { Window } from '../../model/window.ts';
import { npmCommand } from '../../support/commands.ts';
import { formatDays } from '../../support/english.ts';
import type { SuspiciousWindow } from '../../warehouse/ledger/ledger.ts';
import type { UndeliveredMessage } from '../../warehouse/outbox/alerts.ts';
import type { ReportedError } from '../run/run-stats.ts';
import { toAccept, toResend, toRun, toSend } from './suggested-commands.ts';
import { walkAlerts } from './walk-alerts.ts';

/** What an operator may have to act on after a run. */
export type ActiveAlertsInput = {
  readonly failures: readonly ReportedError[];
  /** The walks over the client list of each account, by its name. */
  readonly walks: ReadonlyMap<string, WalkState>;
  /** Windows with a held response. */
  readonly held: readonly Window[];
  /** Loaded windows whose response may be wrong. */
  readonly suspicious: readonly SuspiciousWindow[];
  readonly deliveries: readonly UndeliveredMessage[];
  /** Digests that went out incomplete and were not corrected yet, with the accounts that were missing. */
  readonly incomplete: readonly {
    readonly name: string;
    readonly day: Day;
    readonly lacking: readonly string[];
  }[];
};

/** The active alerts after a run, the gravest first, each with a command to type. */
export function activeAlerts(input: ActiveAlertsInput): ActiveAlert[] {
  const { held, suspicious, deliveries, incomplete } = input;
  const lists = listAlerts(input);
  const failures = input.failures.filter((failure) => !isOfList(failure, lists, input));
  const together = Map.groupBy(failures, ({ code, account }) => `${code} ${account}`);
  return [
    ...[...together].map(([key, alike]) => failed(key, alike)).sort((one, other) => one.rank - other.rank),
    ...lists,
    ...deliveries.filter(({ state }) => state === 'unknown' || state === 'refused').map(undelivered),
    ...waiting(deliveries.filter(({ state }) => state === 'failed' || state === 'pending')),
    ...held.map(heldBack),
    ...suspicious.map(maybeWrong),
    ...incomplete.map(({ name, day, lacking }) => ({
      key: `incomplete ${day} ${name}`,
      what: `${name} of ${day} went out incomplete: ${lacking.join(', ')} missing`,
      cause: 'A corrected one follows by itself once the day is loaded; the next runs try.',
      command: npmCommand(...toRun([day])),
    })),
  ].map(({ key, what, cause, command }) => ({ key, what, cause, command }));
}

const listKey = (kind: string, account: string) => `clients ${kind} ${account}`;

/** The alerts of the client lists, but for those whose error is that of the account's days, too. */
function listAlerts({ walks, failures }: ActiveAlertsInput): ActiveAlert[] {
  return [...walks].flatMap(([account, walk]) =>
    walkAlerts(account, walk)
      .filter(({ kind }) => kind !== 'incomplete' || !isOfDaysToo(account, failures))
      .map(({ kind, what, cause, words }) => ({
        key: listKey(kind, account),
        what,
        cause: `${cause}:`,
        command: npmCommand(...words),
      })),
  );
}

/** Whether an account's client list failed with the kind of error that its days failed with: one alert has both. */
function isOfDaysToo(account: string, failures: readonly ReportedError[]): boolean {
  const own = failures.filter((failure) => failure.account === account);
  return own.some(
    ({ code, day }) => day === null && own.some((other) => other.code === code && other.day !== null),
  );
}

/** Whether an error is that of a client list which has an alert of its own. */
function isOfList(
  { account, day }: ReportedError,
  lists: readonly ActiveAlert[],
  { failures }: ActiveAlertsInput,
): boolean {
  if (day !== null || isOfDaysToo(account, failures)) return false;
  return lists.some(({ key }) => key === listKey('incomplete', account));
}

const gravest: readonly ErrorCode[] = ['TOKEN_REFUSED', 'INVALID_CONFIGURATION', 'REQUEST_REFUSED'];

/** Errors that running again doesn't solve. */
const examined: ReadonlySet<ErrorCode> = new Set(['REQUEST_REFUSED', 'INVALID_RESPONSE']);

function failed(key: string, alike: readonly ReportedError[]): ActiveAlert & { readonly rank: number } {
  const { code, account, line, digest } = alike.at(-1)!;
  const days = alike.flatMap(({ day }) => day ?? []).sort();
  const list = alike.length > days.length ? ['clients'] : [];
  const what = days.length > 0 ? ` for ${[...list, formatDays(days)].join(', ')}` : '';
  const rank = gravest.indexOf(code);
  return {
    rank: rank < 0 ? gravest.length : rank,
    key: `failure ${key}`,
    what: `${account}: ${errorCatalogue[code].summary}${what}`,
    cause: `${line}.`,
    command: npmCommand(...commandFor(code, account, days, digest)),
  };
}

function commandFor(
  code: ErrorCode,
  account: string,
  days: readonly Day[],
  digest: string | undefined,
): readonly string[] {
  if (digest !== undefined) return toSend(digest, days.at(-1)!);
  return examined.has(code) ? ['doctor'] : toRun(days, account);
}

function undelivered({ digest, day, recipient, state, reply }: UndeliveredMessage): ActiveAlert {
  const after =
    state === 'refused'
      ? 'There is no further attempt. Correct the address or the mail server, then:'
      : 'It may have arrived, so there is no further attempt. If it has not:';
  return {
    key: `${state} ${digest} ${recipient}`,
    what: `${digest} of ${day} to ${recipient}: ${state}`,
    cause: `${reply ?? 'No reply'}. ${after}`,
    command: npmCommand(...toResend(digest, day, recipient)),
  };
}

function waiting(deliveries: readonly UndeliveredMessage[]): ActiveAlert[] {
  const last = deliveries.at(-1);
  if (last === undefined) return [];
  return [
    {
      key: 'mail waits',
      what: `${deliveries.length} ${deliveries.length === 1 ? 'message waits' : 'messages wait'}, up to ${last.digest} of ${last.day}`,
      cause: `${last.reply ?? 'No attempt yet'}. The next run tries again. To check the mail server:`,
      command: npmCommand('doctor'),
    },
  ];
}

function heldBack({ account, day }: Window): ActiveAlert {
  return {
    key: `held ${account} ${day}`,
    what: `${account}: a response for ${day} is held back`,
    cause:
      'It would take most of that day away, so the day stays as it is. If a later night brings the same response, it is applied. To apply it now:',
    command: npmCommand(...toAccept(day, account)),
  };
}

function maybeWrong({ account, day, reason, detail }: SuspiciousWindow): ActiveAlert {
  const counts = (detail ?? '').replaceAll('_', ' ');
  const causes = {
    'no calls': 'There are no calls, on a weekday that usually has some.',
    unreported: `Most of its campaigns report no ${counts}: sums and rates are without them.`,
    notice: `The service added: "${detail}".`,
    counts: `${counts}: campaigns may be missing. If a later night brings the same, the count is no longer compared.`,
  };
  return {
    key: `suspicious ${reason} ${account} ${day}`,
    what: `${account}: the response for ${day} was loaded, but may be wrong`,
    cause: `${causes[reason]} The next night fetches the day again. To see what the service says now:`,
    command: npmCommand('campaigns', '--from', day, '--to', day),
  };
}
