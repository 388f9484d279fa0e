import type { Day } from './day.ts';
import { type ErrorCode, errorCatalogue } from './errors.ts';
import type { ExitCode } from './exit-code.ts';

/** What an alert may be about, beside the errors of the catalogue: states that no request or run failed with. */
const stateCodes = [
  'NOTHING_LOADED',
  'RUN_INTERRUPTED',
  'DAYS_NOT_LOADED',
  'RESPONSE_HELD',
  'RESPONSE_SUSPICIOUS',
  'RECORDS_QUARANTINED',
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

/** One thing to do: a manual step, or a command with what it is for. */
export type AlertStep = { readonly text: string; readonly command: CommandWords | null };

/**
 * Something that needs a run or a person; or a note, which needs neither. Alert mail, page, `status` and metrics
 * render the same list of them.
 */
export type ActiveAlert = {
  readonly code: AlertCode;
  /** What and where: the same as long as it lasts, and what `status --dismiss` takes. */
  readonly key: string;
  /** The account that it is about; null of mail, digests and runs. */
  readonly account: string | null;
  /** `error`: figures or mail are missing; `warning`: they may be wrong; `note`: nobody has to do anything. */
  readonly severity: 'error' | 'warning' | 'note';
  /** What happened, in a line. */
  readonly title: string;
  /** Why, and what happens without anybody doing anything; sentences. */
  readonly cause: string;
  /** Run date on which a run found it first; null where none has yet. */
  readonly since: Day | null;
  /** Days of the account that it is about. */
  readonly days: readonly Day[];
  /** Days, recipients or records that it affects: a dismissed alert is active again once there are others. */
  readonly affects: readonly string[];
  /** Whether the next run tries it again by itself. */
  readonly retried: boolean;
  /** What to do, in this order. */
  readonly steps: readonly AlertStep[];
  /** Whether somebody acknowledged it: then it is a note. */
  readonly dismissed: boolean;
};

/** What needs a run or a person: the rest are notes. */
export const needsAction = ({ severity }: Pick<ActiveAlert, 'severity'>): boolean => severity !== 'note';

/** One line of `doctor`: what was found, and what to do about it. */
export type Finding = {
  readonly area: 'settings' | 'database' | 'mail' | 'service';
  readonly subject: string;
  readonly message: string;
} & (
  | { readonly status: 'ok' }
  | { readonly status: 'warning'; readonly advice: string }
  | { readonly status: 'error'; readonly advice: string; readonly exitCode: ExitCode }
);
