import type { Day } from '../../model/day.ts';
import type { ErrorCode } from '../../model/errors.ts';
import type { WalkState } from '../../model/walk.ts';
import { formatCountOf, formatDays, formatList, plural } from '../../support/english.ts';
import { yesterday } from '../business-day.ts';
import { walkConcerns } from '../walk-status.ts';
import type { FoundAlert } from './diagnose.ts';
import type { LastRun } from './run-alerts.ts';
import { accepts, backfills, dismiss, manual, runNow, typed } from './steps.ts';

/** A day whose last attempt failed. */
export type FailedDay = { readonly day: Day; readonly code: ErrorCode; readonly line: string };

/** Records of a day, or of the client list, that couldn't be read for the same reason. */
export type QuarantinedRecords = {
  /** Null for clients. */
  readonly day: Day | null;
  readonly reason: string;
  readonly records: number;
};

/** What the warehouse says of one account. Days are in the account's zone, oldest first. */
export type AccountState = {
  readonly name: string;
  readonly timeZone: string;
  /** First day that is expected; null before the first run. */
  readonly since: Day | null;
  /** First day that a run of now still catches up on. */
  readonly firstCaughtUp: Day;
  /** Days whose last attempt failed, loaded before or not. */
  readonly failed: readonly FailedDay[];
  /** Days up to yesterday that are missing or provisional, and whose last attempt didn't fail. */
  readonly missing: readonly Day[];
  readonly held: readonly Day[];
  readonly suspicious: readonly {
    readonly day: Day;
    readonly reason: SuspiciousReason;
    readonly detail: string | null;
  }[];
  readonly quarantined: readonly QuarantinedRecords[];
  readonly walk: WalkState;
};

type SuspiciousReason = 'no calls' | 'unreported' | 'notice' | 'counts';

/** What alerts about an account are made of. */
export type AccountContext = {
  readonly account: AccountState;
  readonly now: Temporal.Instant;
  readonly lastRun: LastRun | null;
};

/** What an account needs a run or a person for, beside errors. */
export function accountAlerts(context: AccountContext): FoundAlert[] {
  const { account } = context;
  return [
    ...missingDays(context),
    ...account.held.map((day) => heldDay(account, day)),
    ...suspiciousDays(account),
    ...quarantined(account),
    ...missingClients(account),
  ];
}

function missingDays(context: AccountContext): FoundAlert[] {
  const { name, missing, firstCaughtUp } = context.account;
  const days = missing.filter((day) => !isNextRuns(day, context));
  if (days.length === 0) return [];
  const old = days.filter((day) => day < firstCaughtUp);
  const key = `DAYS_NOT_LOADED/${name}`;
  const recent = old.length < days.length;
  const next = recent ? 'The next run loads what is within CATCH_UP_DAYS.' : '';
  const byHand = old.length > 0 ? `No run loads ${formatDays(old)} any more, beyond CATCH_UP_DAYS.` : '';
  return [
    {
      code: 'DAYS_NOT_LOADED',
      key,
      account: name,
      severity: 'error',
      title: `${name}: not loaded: ${formatDays(days)}`,
      cause: ['No run has loaded them.', next, byHand].filter((each) => each !== '').join(' '),
      days,
      affects: days,
      retried: old.length === 0,
      steps: [
        ...(recent ? [runNow()] : []),
        ...backfills(name, old),
        ...(old.length > 0 ? [dismiss('If the service no longer has them', key)] : []),
      ],
    },
  ];
}

/** Whether a day is only missing because it ended after the last run began, or because that run is still at work. */
function isNextRuns(day: Day, { account: { timeZone }, now, lastRun }: AccountContext): boolean {
  if (day !== yesterday(now, timeZone) || lastRun === null) return false;
  if (lastRun.state === 'in progress') return true;
  const startOfToday = now.toZonedDateTimeISO(timeZone).startOfDay().toInstant();
  return Temporal.Instant.compare(lastRun.startedAt, startOfToday) < 0;
}

function heldDay({ name }: AccountState, day: Day): FoundAlert {
  return {
    code: 'RESPONSE_HELD',
    key: `RESPONSE_HELD/${name}/${day}`,
    account: name,
    severity: 'warning',
    title: `${name}: a response for ${day} is held`,
    cause:
      'It would remove most of that day, so the day stays as it is. It is applied once a later night brings the same response.',
    days: [day],
    affects: [day],
    retried: true,
    steps: accepts(name, day),
  };
}

const causes: { readonly [reason in SuspiciousReason]: (detail: string) => string } = {
  'no calls': () => 'There are no calls, on a weekday that usually has some.',
  unreported: (detail) =>
    `Most of its campaigns report no ${detail.replaceAll('_', ' ')}: sums and rates are without them.`,
  notice: (detail) => `The service added: "${detail}".`,
  counts: (detail) => `${detail.replaceAll('_', ' ')}: campaigns may be missing.`,
};

function suspiciousDays({ name, suspicious }: AccountState): FoundAlert[] {
  const alike = Map.groupBy(suspicious, ({ reason, detail }) => `${reason} ${detail}`);
  return [...alike.values()].map((group) => {
    const { reason, detail } = group[0]!;
    const days = group.map(({ day }) => day);
    const isNote = reason === 'no calls';
    const key = isNote ? `NO_CALLS/${name}` : `RESPONSE_SUSPICIOUS/${name}/${days[0]}/${reason}`;
    return {
      code: isNote ? 'NO_CALLS' : 'RESPONSE_SUSPICIOUS',
      key,
      account: name,
      severity: isNote ? 'note' : 'warning',
      title: `${name}: the ${plural(days.length, 'response')} for ${formatDays(days)} ${plural(days.length, 'was', 'were')} loaded, but may be wrong`,
      cause: `${causes[reason](detail ?? '')} The next night fetches the day again; if it says the same, that is believed.`,
      days,
      affects: days,
      retried: true,
      steps: isNote
        ? []
        : [
            typed('To see what the service says now', 'campaigns', '--from', days[0]!, '--to', days.at(-1)!),
            dismiss('If it is right', key),
          ],
    };
  });
}

function quarantined({ name, quarantined: groups }: AccountState): FoundAlert[] {
  if (groups.length === 0) return [];
  const records = groups.reduce((total, group) => total + group.records, 0);
  const days = [...new Set(groups.flatMap(({ day }) => day ?? []))].sort();
  const reasons = [...new Set(groups.map(({ reason }) => reason))];
  const key = `RECORDS_QUARANTINED/${name}`;
  const where = [...(groups.some(({ day }) => day === null) ? ['clients'] : []), ...days];
  const [first, last] = [days[0], days.at(-1)];
  return [
    {
      code: 'RECORDS_QUARANTINED',
      key,
      account: name,
      severity: 'warning',
      title: `${name}: ${formatCountOf(records, 'record')} of ${where.length <= 3 ? formatList(where) : formatDays(days)} couldn't be read`,
      cause: `${reasons.slice(0, 3).join('; ')}${reasons.length > 3 ? '; …' : ''}. What they say is missing from all figures; their text is in quarantine.`,
      days,
      affects: groups.map(({ day, reason }) => `${day ?? 'clients'} ${reason}`),
      retried: true,
      steps: [
        manual(
          'Ask the provider of the service about them, or update Callsheet if a newer version reads them',
        ),
        ...(first === undefined
          ? []
          : [typed('With a version that reads them', 'replay', '--from', first, '--to', last!, '--reread')]),
        dismiss('If nothing can be done', key),
      ],
    },
  ];
}

function missingClients({ name, walk }: AccountState): FoundAlert[] {
  const concern = walkConcerns(walk).find(({ kind }) => kind === 'unbelievable');
  if (concern === undefined) return [];
  const { missing, since } = concern;
  return [
    {
      code: 'CLIENTS_MISSING',
      key: `CLIENTS_MISSING/${name}`,
      account: name,
      severity: 'warning',
      title: `${name}: ${formatCountOf(missing, 'client')} ${plural(missing, 'is', 'are')} missing since ${since}`,
      cause:
        'That is over half of the list, and more often an error of the service than news, so nobody is marked absent. It is over when a complete walk has them again.',
      days: [],
      affects: [since],
      retried: true,
      steps: [
        typed('To see what the service lists', 'doctor'),
        dismiss('If they are gone', `CLIENTS_MISSING/${name}`),
      ],
    },
  ];
}
