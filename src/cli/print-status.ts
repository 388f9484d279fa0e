import { resend } from '../job/alerts/conditions/mail.ts';
import { type AccountState, isOpen, type RunningRun } from '../job/alerts/state.ts';
import {
  type ActiveAlert,
  type AlertStep,
  countedLines,
  needsAction,
  runbookLine,
  toDoLine,
} from '../model/alert.ts';
import type { Day } from '../model/day.ts';
import type { UndeliveredMessage } from '../model/digest.ts';
import type { QuarantinedRecords } from '../model/records.ts';
import { asTyped } from '../support/commands.ts';
import { formatCount } from '../support/english.ts';
import { foldAlike } from '../support/fold.ts';
import { marks, paint } from '../support/paint.ts';
import type { AcceptedRow } from '../warehouse/ledger/accepted.ts';
import type { RunStatus } from '../warehouse/queries/run-history.ts';
import { formatTable, printable, type Row } from './table.ts';
import { wrap, wrapItems } from './wrap.ts';

/** The content of `status`. */
export type Status = {
  /** The value of `TIME_ZONE`. */
  readonly timeZone: string;
  readonly alerts: readonly ActiveAlert[];
  readonly accounts: readonly AccountStatus[];
  /** Newest first. */
  readonly runs: readonly RunStatus[];
  readonly unsent: readonly UndeliveredMessage[];
  /** The nightly run that is running: the rest is what the last one left. */
  readonly running: RunningRun | null;
  /** What people said is the way of the service. */
  readonly accepted: readonly AcceptedRow[];
  /** Records that couldn't be read, and that no later response replaced. */
  readonly quarantined: readonly (QuarantinedRecords & { readonly account: string })[];
};

/** An account as `status` shows it. Lists of days are oldest first, and of days that a run catches up on now. */
export type AccountStatus = Pick<
  AccountState,
  'label' | 'timeZone' | 'since' | 'completeThrough' | 'walk'
> & {
  readonly account: string;
  /** Days up to yesterday that are missing or failed, or were fetched before they were over. */
  readonly gaps: readonly Day[];
  readonly held: readonly Day[];
  /** Other days whose figures aren't confirmed yet. */
  readonly provisional: readonly Day[];
  /** Number of days whose counts have not yet been the same on two run dates. */
  readonly settling: number;
  /** Records in quarantine that no later response replaced. */
  readonly quarantined: number;
};

export function statusOf(state: AccountState): AccountStatus {
  const { name, label, timeZone, since, completeThrough, days, quarantined, walk } = state;
  const daysWith = (condition: (day: AccountState['days'][number]) => boolean) =>
    days.filter(condition).map(({ day }) => day);
  return {
    account: name,
    label,
    timeZone,
    since,
    completeThrough,
    gaps: daysWith(isOpen),
    held: daysWith(({ held }) => held),
    provisional: daysWith((each) => each.state === 'provisional' && !isOpen(each)),
    settling: daysWith(({ settling }) => settling).length,
    quarantined: quarantined.reduce((total, { records }) => total + records, 0),
    walk,
  };
}

/**
 * Describes the status for people: alerts come first, with their steps. Lines are at most `width` characters.
 * Only commands may be wider: each has its own line and is never broken. Times are in `timeZone` with offset.
 */
export function describeStatus(status: Status, width: number): string {
  const explained = status.alerts.filter(({ dismissed }) => !dismissed);
  return [
    headline(status, width),
    ...status.alerts.map((alert) => describeAlert(alert, width)),
    ...(explained.length === 0 ? [] : [wrap(runbookLine(explained), width).join('\n')]),
    ...describeAccounts(status, width),
    describeRuns(status, width),
  ].join('\n\n');
}

/**
 * Formats the status for machines: timestamps are ISO 8601 in UTC, commands are lists of words.
 *
 * @param shown the accounts to list: the totals are of all
 */
export function statusAsJson(status: Status, shown: readonly AccountStatus[]): string {
  const { accounts, runs, unsent, running, quarantined, ...rest } = status;
  const json = {
    ...rest,
    totals: totalsOf(accounts),
    accounts: shown.map(({ walk, ...account }) => ({
      ...account,
      walk: { ...walk, completeAt: inUtc(walk.completeAt) },
    })),
    runs: runs.map((run) => ({
      ...run,
      startedAt: inUtc(run.startedAt),
      finishedAt: inUtc(run.finishedAt),
      retryAt: inUtc(run.retryAt),
    })),
    // The next run sends the other messages.
    unsent: unsent.map((message) => ({
      ...message,
      command: ['given_up', 'unknown'].includes(message.state) ? resend(message).command : null,
    })),
    running: running === null ? null : { ...running, startedAt: running.startedAt.toString() },
    quarantined: quarantined.map((group) => ({
      ...group,
      firstAt: inUtc(group.firstAt),
      latestAt: inUtc(group.latestAt),
    })),
  };
  return JSON.stringify(json, null, 2);
}

/** The accounts that an active alert names, or of which a day waits for something. */
export function accountsNeedingAttention({
  accounts,
  alerts,
}: Pick<Status, 'accounts' | 'alerts'>): AccountStatus[] {
  const named = new Set(alerts.filter(needsAction).flatMap((alert) => alert.accounts));
  return accounts.filter(
    ({ account, gaps, held, provisional, quarantined }) =>
      named.has(account) || gaps.length + held.length + provisional.length + quarantined > 0,
  );
}

function totalsOf(accounts: readonly AccountStatus[]) {
  const sum = (countOf: (account: AccountStatus) => number) =>
    accounts.reduce((total, account) => total + countOf(account), 0);
  return {
    accounts: accounts.length,
    gaps: sum(({ gaps }) => gaps.length),
    held: sum(({ held }) => held.length),
    provisional: sum(({ provisional }) => provisional.length),
    settling: sum(({ settling }) => settling),
    quarantined: sum(({ quarantined }) => quarantined),
  };
}

const inUtc = (timestamp: string | null) =>
  timestamp === null ? null : Temporal.Instant.from(timestamp).toString();

/** `2026-11-22 06:30 +01:00` */
function inZone(timestamp: string, timeZone: string): string {
  const time = Temporal.Instant.from(timestamp).toZonedDateTimeISO(timeZone);
  return `${time.toPlainDate()} ${timeOfDay(time)} ${time.offset}`;
}

const timeOfDay = (time: Temporal.ZonedDateTime) =>
  time.toPlainTime().toString({ smallestUnit: 'minute', roundingMode: 'trunc' });

function headline({ alerts, running, timeZone }: Status, width: number): string {
  const active = alerts.filter(needsAction);
  const line = active.length === 0 ? 'All good. Nothing to do.' : toDoLine(active);
  const severity = active.some((alert) => alert.severity === 'error') ? paint.bad : paint.attention;
  const colour = active.length === 0 ? paint.good : severity;
  const lines = wrap(printable(line), width).map((each) => paint.heading(colour(each)));
  if (running !== null)
    lines.push(
      `Running since ${inZone(running.startedAt.toString(), timeZone)}: ${printable(running.command)}`,
    );
  return lines.join('\n');
}

function describeAlert(alert: ActiveAlert, width: number): string {
  const { kind, severity, title, steps, dismissed } = alert;
  const [first, ...more] = wrap(printable(title), width - 2);
  const names = dismissed ? [] : countedLines(alert);
  const about = [alert.explanation, ...names].flatMap((text) => wrap(printable(text), width - 2));
  return [
    `${marks[kind === 'note' ? kind : severity]} ${paint.heading(first!)}`,
    ...more.map((line) => `  ${paint.heading(line)}`),
    ...about.map((line) => `  ${line}`),
    ...(dismissed ? [] : steps.flatMap((step) => describeStep(step, width))),
  ].join('\n');
}

function describeStep({ text, command }: AlertStep, width: number): string[] {
  const lines = wrap(`→ ${text}${command === null ? '.' : ':'}`, width - 2, 2).map((line) => `  ${line}`);
  return command === null ? lines : [...lines, `      ${asTyped(...command)}`];
}

function describeAccounts({ accounts }: Status, width: number): string[] {
  if (accounts.length === 0) return [];
  const rows = foldAlike(
    accounts.map(accountRow),
    ({ account: _, ...cells }) => cells,
    (first, others) => ({ ...first, account: `${first.account} and ${formatCount(others.length)} more` }),
  );
  const columns = Object.keys(rows[0]!).filter((column) => rows.some((row) => row[column] !== null));
  const table = formatTable(rows, columns);
  const fits = table.split('\n').every((line) => line.length <= width);
  return [`${paint.heading('Accounts')}\n${fits ? table : asBlocks(rows, columns, width)}`];
}

const accountRow = ({ account, label, walk, ...status }: AccountStatus): Row => ({
  account: label === account ? account : `${label} (${account})`,
  'complete through': status.completeThrough ?? 'nothing yet',
  'not loaded': status.gaps.length || null,
  held: status.held.length || null,
  provisional: status.provisional.length || null,
  quarantined: status.quarantined || null,
  // Its date only: minutes differ between accounts that are alike.
  'client list complete': walk.completeRunDate ?? 'none yet',
});

/** Formats a table that is too wide: each row becomes its first cell, with the other cells below it. */
function asBlocks(rows: readonly Row[], columns: readonly string[], width: number): string {
  const [first, ...others] = columns;
  return rows
    .flatMap((row) => {
      const items = others
        .filter((column) => row[column] !== null)
        .map((column) =>
          typeof row[column] === 'number' ? `${row[column]} ${column}` : `${column} ${row[column]}`,
        );
      return [printable(row[first!]), ...wrapItems(items, width - 2).map((line) => `  ${line}`)];
    })
    .join('\n');
}

function describeRuns({ runs, timeZone }: Status, width: number): string {
  if (runs.length === 0) return 'No run yet.';
  const lines = formatTable(runs.map((run, index) => runRow(run, index === 0, timeZone))).split('\n');
  const commands = ['command', ...runs.map(({ command }) => printable(command))];
  const column = lines.reduce((longest, line) => Math.max(longest, line.length), 0) + 2;
  const withCommands = lines.map((line, index) => {
    const command = commands[index]!;
    const fits = column + command.length <= width;
    const text = fits ? `${line.padEnd(column)}${command}` : `${line}\n      ${command}`;
    // The first word in a row is its outcome.
    return text.replace(/[a-z]+/, (word) => outcomeColours[word]?.(word) ?? word);
  });
  return `${paint.heading('Last runs')}\n${withCommands.join('\n')}`;
}

export const outcomeColours: Readonly<Record<string, typeof paint.good>> = {
  done: paint.good,
  partial: paint.attention,
  interrupted: paint.attention,
  failed: paint.bad,
  killed: paint.bad,
};

const runRow = (run: RunStatus, isNewest: boolean, timeZone: string): Row => ({
  run: run.run,
  started: inZone(run.startedAt, timeZone),
  outcome: describeOutcome(run, isNewest, timeZone),
  exit: run.exitCode,
});

function describeOutcome(
  { outcome, isRunning, retryAt }: RunStatus,
  isNewest: boolean,
  timeZone: string,
): string {
  if (outcome === null) return isRunning ? 'running' : 'killed';
  if (retryAt === null || !isNewest) return outcome;
  return `${outcome}, retry at ${timeOfDay(Temporal.Instant.from(retryAt).toZonedDateTimeISO(timeZone))}`;
}
