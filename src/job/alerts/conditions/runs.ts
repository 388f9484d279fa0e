import { type Day, isOver } from '../../../model/day.ts';
import { type ErrorCode, errorCatalogue } from '../../../model/errors.ts';
import { exitCode } from '../../../model/exit-code.ts';
import { formatDate, formatDuration, plural } from '../../../support/english.ts';
import {
  daysOf,
  dismiss,
  type Item,
  lastDetail,
  lastSentence,
  manual,
  ofDay,
  reportIt,
  runNow,
  seeFault,
  typed,
  withoutFigures,
} from '../items.ts';
import { type AccountState, isOpen, type LastRun, type WarehouseState } from '../state.ts';
import { type Alert, type Condition, type Text, untilItLasts } from './condition.ts';

export const runConditions = {
  RUN_FAILED: {
    severity: 'error',
    kind: (alert) => {
      const error = errorOf(alert);
      // Nothing but a person frees a disk.
      return errorCatalogue[error].retryable && error !== 'DATABASE_FULL' ? untilItLasts(alert) : 'to do';
    },
    find: (state) => {
      const error = whyRunFailed(state);
      if (error === null) return [];
      const of = { part: error.code, detail: error.detail };
      return [{ id: 'run', ...of }, ...missingDays(state).map((item) => ({ ...item, ...of }))];
    },
    describe: (alert) => {
      const { items, today, state } = alert;
      const error = errorOf(alert);
      const isForGood = errorCatalogue[error].exitCode === exitCode.configuration;
      // The error that ended a run may be over by now.
      const happened =
        state.preventing === null
          ? `The run of ${formatDate(state.lastRun!.runDate, today)} ended with: ${lastDetail(items)}.`
          : lastSentence(items);
      return {
        what: `run failed: ${errorCatalogue[error].summary}`,
        explanation: `${happened} ${lackedBy(alert)}${isForGood ? ' Every run fails like this until the first step is done.' : ''}`,
        retried: !isForGood,
        steps: [stepBeforeRun(error), runNow('Then')],
      };
    },
  },
  DAYS_NOT_LOADED: {
    severity: 'error',
    // Runs that don't begin any more begin once a person sees to it.
    kind: ({ state }) => (state.missedTimes > 0 ? 'to do' : 'to check'),
    find: (state) => {
      if (whyRunFailed(state) !== null) return [];
      const days = missingDays(state);
      const { accounts, lastRun, missedTimes } = state;
      const isMissed = missedTimes > 0 && (days.length > 0 || accounts.every(({ since }) => since === null));
      return isMissed || lastRun?.isInterrupted ? [{ id: `run ${lastRun?.run}` }, ...days] : days;
    },
    describe: (alert) => {
      if (alert.state.missedTimes > 0) return describeMissed(alert);
      if (alert.state.lastRun?.isInterrupted) return describeInterrupted(alert);
      const { key, items, today } = alert;
      const count = daysOf(items).length;
      return {
        what: plural(count, 'day not loaded', 'days not loaded'),
        explanation: `${withoutFigures(items, today)}: no run has requested ${plural(count, 'it', 'them')}.`,
        retried: true,
        steps: [runNow('To load now'), dismiss('If the service no longer has them', key)],
      };
    },
  },
  CLOCKS_APART: {
    severity: 'error',
    kind: 'to do',
    find: ({ clockAheadMs }) => {
      if (Math.abs(clockAheadMs) <= maxClocksApartMs) return [];
      const direction = clockAheadMs > 0 ? 'ahead of' : 'behind';
      return [{ id: 'clocks', detail: `${formatDuration(Math.abs(clockAheadMs))} ${direction}` }];
    },
    describe: ({ items }) => ({
      what: `clocks apart: Callsheet's is ${lastDetail(items)} the database's`,
      explanation:
        'Figures stay right, but runs and mails may come late: a day counts as over once both clocks say so.',
      steps: [manual('Type date -u on both machines, correct the clock that is wrong, and let NTP set it')],
    }),
  },
  WEBHOOK_FAILED: {
    severity: 'warning',
    kind: untilItLasts,
    // The process that posts writes the row, and ends it. A row without a beginning has ended.
    find: ({ recorded }) => {
      const row = recorded.get('WEBHOOK_FAILED');
      return row?.since == null ? [] : [{ id: row.title, detail: row.title }];
    },
    describe: ({ items }) => ({
      what: lastDetail(items),
      explanation:
        'The last alert is not in the chat. Figures and mail are not affected. This alert ends when the chat takes another one.',
      steps: [manual('If it lasts, set a new ALERT_WEBHOOK_URL: the chat may have removed this one')],
    }),
  },
} as const satisfies Record<string, Condition>;

/** The error that keeps runs from beginning, or ended the last one; null if nothing did, somebody interrupted it, or runs no longer begin. */
const whyRunFailed = ({ lastRun, preventing, missedTimes }: WarehouseState) =>
  preventing ?? (lastRun?.isInterrupted || missedTimes > 0 ? null : (lastRun?.error ?? null));

const errorOf = ({ items }: Alert) => items[0]!.part as ErrorCode;

function describeMissed(alert: Alert): Text {
  const { lastRun } = alert.state;
  return {
    what: lastRun === null ? 'no run yet' : `no run since ${formatDate(lastRun.runDate, alert.today)}`,
    explanation: lackedBy(alert),
    retried: true,
    steps: [
      manual('Start schedule, or the timer that types run, if it is not running'),
      runNow('To load the days now'),
      ...(daysOf(alert.items).length === 0 ? [] : [dismiss('If nobody wants these days', alert.key)]),
    ],
  };
}

const describeInterrupted = (alert: Alert): Text => ({
  what: 'last run interrupted',
  explanation: `It was stopped or killed, or the database took no more rows, for example because its disk is full. ${lackedBy(alert)}`,
  retried: true,
  steps: [runNow('To finish it now')],
});

/** Says which figures are missing because a run failed, or none began. */
function lackedBy({ items, today, state }: Alert): string {
  if (state.lastRun === null && state.preventing === null)
    return 'There are no figures until a run succeeds.';
  if (daysOf(items).length === 0)
    return 'Loaded figures stay. Days that no run has loaded yet are missing until one succeeds.';
  return `${withoutFigures(items, today)} until a run succeeds.`;
}

function stepBeforeRun(error: ErrorCode) {
  if (error === 'SCHEMA_TOO_OLD') return typed('To bring the schema to this version', 'migrate');
  if (error === 'DATABASE_FULL') return manual('Free space on the disk of the database');
  return error === 'INTERNAL' ? reportIt : seeFault;
}

/** Clocks that are kept right differ by seconds. */
const maxClocksApartMs = 600_000;

/** Days that nobody attempted, and that the last run left, or the next one is late for: others it loads by itself. */
function missingDays({ accounts, lastRun, missedTimes }: WarehouseState): Item[] {
  return accounts.flatMap((account) =>
    account.days
      .filter((each) => isOpen(each) && each.code === null && !each.held)
      .filter(({ day }) => missedTimes > 0 || isLeft(account, day, lastRun))
      .map(({ day }) => ({ ...ofDay(account, day), lacks: true })),
  );
}

/** Returns whether the last run had to load a day, and isn't retried. */
const isLeft = ({ timeZone, yesterday }: AccountState, day: Day, lastRun: LastRun | null): boolean =>
  lastRun !== null &&
  isOver(day, timeZone, lastRun.startedAt) &&
  (lastRun.retryAt === null || day !== yesterday);
