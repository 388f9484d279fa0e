import type { Day } from '../../model/day.ts';
import type { SameCampaigns, UndeliveredMessage } from '../../model/digest.ts';
import type { ErrorCode } from '../../model/errors.ts';
import type { Every } from '../../model/period.ts';
import type { QuarantinedRecords } from '../../model/records.ts';
import type { RunKind } from '../../model/run.ts';
import type { WalkState } from '../../model/walk.ts';
import type { AccountDays, DayState, EarlierDays } from '../../model/window.ts';

/** The state of the warehouse, as far as alerts depend on it. */
export type WarehouseState = {
  /** By how many milliseconds this machine's clock is ahead of the database's; negative if it is behind. */
  readonly clockAheadMs: number;
  /** Accounts that haven't retired, by name. */
  readonly accounts: readonly AccountState[];
  /** Accounts with the same campaigns, on days that runs still fetch. */
  readonly sameCampaigns: readonly SameCampaigns[];
  /** Mail that isn't known to have arrived, the newest first. */
  readonly deliveries: readonly UndeliveredMessage[];
  /** The recipient of a test message: an operator, or else the sender. */
  readonly testAddress: string;
  /** The last nightly run that ended; null before the first. */
  readonly lastRun: LastRun | null;
  /** The scheduled times that passed since then, or since the installation, without a run. */
  readonly missedTimes: number;
  /** The next scheduled time. */
  readonly nextRunAt: Temporal.Instant;
  /** The place of the recipients of digests. */
  readonly recipients: string;
  /** The error that keeps runs from beginning, or kept the last attempt from it; null if none does. */
  readonly preventing: { readonly code: ErrorCode; readonly detail: string } | null;
  /** The run that holds the run lock: another one would end at once. It changes nothing of what the last one left. */
  readonly running: RunningRun | null;
  /** Alerts recorded by earlier runs, by key. */
  readonly recorded: ReadonlyMap<string, RecordedAlert>;
};

/** The state without the warehouse: only what prevents runs may be known. */
export const nothingKnown: Omit<WarehouseState, 'nextRunAt'> = {
  clockAheadMs: 0,
  accounts: [],
  sameCampaigns: [],
  deliveries: [],
  testAddress: '',
  lastRun: null,
  missedTimes: 0,
  recipients: '',
  preventing: null,
  running: null,
  recorded: new Map(),
};

export type RecordedAlert = {
  readonly title: string;
  /** Run date on which a run found it first; null if it was only dismissed. */
  readonly since: Day | null;
  /** The items it affected when somebody dismissed it. */
  readonly dismissed: readonly string[];
};

/** The state of one account. Days are in its zone, oldest first. */
export type AccountState = AccountDays & {
  /** The place of its token: a setting, a variable or a file. */
  readonly token: string;
  /** Null if there are none. */
  readonly earlier: EarlierDays | null;
  readonly quarantined: readonly QuarantinedRecords[];
  readonly walk: WalkState;
};

/** The day is missing or failed, or was fetched before it was over. */
export const isOpen = ({ state, isOver }: Pick<DayState, 'state' | 'isOver'>): boolean =>
  state === 'missing' || state === 'failed' || !isOver;

export type RunningRun = {
  readonly run: number;
  readonly kind: RunKind;
  readonly command: string;
  readonly startedAt: Temporal.Instant;
};

/** The last nightly run that ended. */
export type LastRun = {
  readonly run: number;
  readonly startedAt: Temporal.Instant;
  readonly runDate: Day;
  /** Somebody stopped it, or nobody knows its end. */
  readonly isInterrupted: boolean;
  /** The time of its retry; null unless that is ahead. */
  readonly retryAt: Temporal.Instant | null;
  /** The error that ended it; null if none did. */
  readonly error: { readonly code: ErrorCode; readonly detail: string } | null;
  /** Digests that an error kept from being built or, if they are built, from being sent. */
  readonly digestErrors: readonly {
    readonly digest: string;
    readonly every: Every;
    readonly day: Day;
    readonly code: ErrorCode;
    readonly detail: string;
    readonly isBuilt: boolean;
  }[];
};
