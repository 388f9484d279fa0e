import type { Day } from '../../model/day.ts';
import { type ErrorCode, errorCatalogue } from '../../model/errors.ts';
import { withStop } from '../../support/english.ts';
import type { FoundAlert, WarehouseState } from './diagnose.ts';
import { manual, runNow, typed } from './steps.ts';

/** The last nightly run. */
export type LastRun = {
  readonly run: number;
  readonly startedAt: Temporal.Instant;
  /** `waiting` between two attempts; `interrupted` also where it was killed. */
  readonly state: 'in progress' | 'waiting' | 'ended' | 'interrupted';
  /** When its next attempt begins; null unless it waits for that. */
  readonly retryAt: Temporal.Instant | null;
  /** The first scheduled time after it began: until then, no run is late. */
  readonly nextScheduledAt: Temporal.Instant;
  /** The error that ended it as a whole; null where none did. */
  readonly error: { readonly code: ErrorCode; readonly line: string } | null;
  /** Digests that an error kept from being built or sent, and that are not built yet. */
  readonly digestErrors: readonly {
    readonly digest: string;
    readonly day: Day;
    readonly code: ErrorCode;
    readonly line: string;
  }[];
  /** Accounts whose list of campaigns it left behind what is loaded. */
  readonly campaignsBehind: readonly string[];
};

/** What happens by itself with what is retried, as a sentence. */
export function describeNextAttempt(lastRun: LastRun | null, timeZone: string): string {
  if (lastRun?.state === 'in progress') return 'The run in progress tries again.';
  if (lastRun === null || lastRun.retryAt === null) return 'The next run tries again.';
  const at = lastRun.retryAt.toZonedDateTimeISO(timeZone).toPlainTime().toString().slice(0, 5);
  return `The run tries again by itself at ${at} (${timeZone}).`;
}

/** What the runs themselves need a run or a person for. */
export function runAlerts({ accounts, lastRun }: WarehouseState, nextAttempt: string): FoundAlert[] {
  if (accounts.every(({ since }) => since === null) && lastRun === null) return [nothingLoaded()];
  if (lastRun === null) return [];
  return [
    ...(lastRun.state === 'interrupted' ? [interrupted(lastRun)] : []),
    ...(lastRun.error === null ? [] : [endedAlert(lastRun.error, nextAttempt)]),
    ...digestErrors(lastRun, nextAttempt),
    ...campaignsBehind(lastRun),
  ];
}

function nothingLoaded(): FoundAlert {
  return {
    code: 'NOTHING_LOADED',
    key: 'NOTHING_LOADED',
    account: null,
    severity: 'warning',
    title: 'No nightly run yet',
    cause: 'The first one loads yesterday.',
    days: [],
    affects: ['everything'],
    retried: true,
    steps: [runNow()],
  };
}

function interrupted({ run }: LastRun): FoundAlert {
  return {
    code: 'RUN_INTERRUPTED',
    key: 'RUN_INTERRUPTED',
    account: null,
    severity: 'warning',
    title: 'The last nightly run was interrupted',
    cause: 'What it had loaded stays. The next run does the rest.',
    days: [],
    affects: [`run ${run}`],
    retried: true,
    steps: [runNow()],
  };
}

/** The alert of a nightly run that an error ended as a whole. */
export function endedAlert(
  { code, line }: NonNullable<LastRun['error']>,
  nextAttempt = describeNextAttempt(null, 'UTC'),
): FoundAlert {
  const steps = {
    SCHEMA_TOO_OLD: [typed('To bring the schema to this version', 'migrate'), runNow('Then')],
    INTERNAL: [manual('Report it, with the stack in the log of the run'), runNow()],
  } as const;
  return {
    code,
    key: code,
    account: null,
    severity: 'error',
    title: `The last nightly run ended: ${errorCatalogue[code].summary}`,
    cause: `${withStop(line)} ${nextAttempt}`,
    days: [],
    affects: ['run'],
    retried: true,
    steps:
      code === 'SCHEMA_TOO_OLD' || code === 'INTERNAL'
        ? steps[code]
        : [typed('To see what is wrong', 'doctor'), runNow('Then')],
  };
}

function digestErrors({ digestErrors: errors }: LastRun, nextAttempt: string): FoundAlert[] {
  return errors.map(({ digest, day, code, line }) => ({
    code,
    key: `${code}/${digest}/${day}`,
    account: null,
    severity: 'error',
    title: `${digest} of ${day} wasn't sent: ${errorCatalogue[code].summary}`,
    cause: `${withStop(line)} ${nextAttempt}`,
    days: [],
    affects: [day],
    retried: true,
    steps: [typed('To do it now', 'digest', '--day', day, '--digest', digest)],
  }));
}

function campaignsBehind({ run, campaignsBehind: accounts }: LastRun): FoundAlert[] {
  return accounts.map((account) => ({
    code: 'INTERNAL',
    key: `INTERNAL/${account}/campaigns`,
    account,
    severity: 'error',
    title: `${account}: its list of campaigns is behind`,
    cause: `An internal error, which the log of run ${run} has, kept it from following. The figures of days are right; the next run tries again.`,
    days: [],
    affects: ['campaigns'],
    retried: true,
    steps: [manual('Report it, with the stack in the log of the run'), runNow()],
  }));
}
