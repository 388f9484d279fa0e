import type { Day } from './day.ts';
import { type ErrorCode, errorCatalogue } from './errors.ts';
import type { ExitCode } from './exit-code.ts';

/** Codes of alerts besides the errors of the catalogue: states without a failed request or run. */
const stateCodes = [
  'NOTHING_LOADED',
  'RUN_INTERRUPTED',
  'DAYS_NOT_LOADED',
  'RESPONSE_HELD',
  'RESPONSE_SUSPICIOUS',
  'RECORDS_QUARANTINED',
  'SAME_CAMPAIGNS',
  'CLIENTS_MISSING',
  'MAIL_REFUSED',
  'MAIL_UNKNOWN',
  'MAIL_WAITING',
  'DIGEST_INCOMPLETE',
  'NO_CALLS',
] as const;

export type AlertCode = ErrorCode | (typeof stateCodes)[number];

export const alertCodes: readonly AlertCode[] = [
  ...(Object.keys(errorCatalogue) as ErrorCode[]),
  ...stateCodes,
];

/** The words of a command without the program's name. */
export type CommandWords = readonly string[];

/** One thing to do by hand, or a command and its purpose. */
export type AlertStep = { readonly text: string; readonly command: CommandWords | null };

/**
 * A state that needs a run or a person; a note needs neither. Alert mail, page, `status` and metrics render the
 * same list.
 */
export type ActiveAlert = {
  readonly code: AlertCode;
  /** Code, account and subject: it stays the same while the alert lasts, and `status --dismiss` takes it. */
  readonly key: string;
  /** The account it is about; null for mail, digests and runs. */
  readonly account: string | null;
  /** `error`: figures or mail are missing; `warning`: they may be wrong; `note`: nothing to do. */
  readonly severity: 'error' | 'warning' | 'note';
  /** The event, in a line. */
  readonly title: string;
  /** The cause, and what happens by itself; sentences. */
  readonly cause: string;
  /** Run date on which a run found it first; null if none has yet. */
  readonly since: Day | null;
  /** The days it is about. */
  readonly days: readonly Day[];
  /** Affected days, recipients or records: a dismissed alert becomes active again if another is affected. */
  readonly affects: readonly string[];
  /** The next run tries again by itself. */
  readonly retried: boolean;
  /** The steps to take, in order. */
  readonly steps: readonly AlertStep[];
  /** Somebody acknowledged it: then it is a note. */
  readonly dismissed: boolean;
};

/** Returns whether an alert needs a run or a person: the others are notes. */
export const needsAction = ({ severity }: Pick<ActiveAlert, 'severity'>): boolean => severity !== 'note';

/** One line of `doctor`: a result, and what to do about it. */
export type Finding = {
  readonly area: 'settings' | 'database' | 'mail' | 'service';
  readonly subject: string;
  readonly message: string;
} & (
  | { readonly status: 'ok' }
  | { readonly status: 'warning'; readonly advice: string }
  | { readonly status: 'error'; readonly advice: string; readonly exitCode: ExitCode }
);
