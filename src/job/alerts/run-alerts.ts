import { errorCatalogue } from '../../model/errors.ts';
import { periodName, periodOf } from '../../model/period.ts';
import { formatDays, formatList, withStop } from '../../support/english.ts';
import type { FoundAlert, LastRun, WarehouseState } from './state.ts';
import { manual, runNow, typed } from './steps.ts';

/** A sentence that says when failed work is tried again. */
export function describeNextAttempt(lastRun: LastRun | null, timeZone: string): string {
  if (lastRun?.state === 'in progress') return 'The run in progress tries again.';
  if (lastRun === null || lastRun.retryAt === null) return 'The next run tries again.';
  const at = lastRun.retryAt.toZonedDateTimeISO(timeZone).toPlainTime().toString().slice(0, 5);
  return `The run tries again by itself at ${at} (${timeZone}).`;
}

/** The alerts about the last nightly run. */
export function lastRunAlerts({ accounts, lastRun }: WarehouseState, nextAttempt: string): FoundAlert[] {
  if (accounts.every(({ since }) => since === null) && lastRun === null) return [nothingLoaded()];
  if (lastRun === null) return [];
  return [
    ...(lastRun.state === 'interrupted' ? [interrupted(lastRun)] : []),
    ...(lastRun.error === null ? [] : [runFailedAlert(lastRun.error, nextAttempt)]),
    ...unbuiltDigests(lastRun, nextAttempt),
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

/** The alert about an error that ended or prevented a run. */
export function runFailedAlert(
  { code, detail }: NonNullable<LastRun['error']>,
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
    cause: `${withStop(detail)} ${nextAttempt}`,
    days: [],
    affects: ['run'],
    retried: true,
    steps:
      code === 'SCHEMA_TOO_OLD' || code === 'INTERNAL'
        ? steps[code]
        : [typed('To see what is wrong', 'doctor'), runNow('Then')],
  };
}

/** One alert for each code and digest that couldn't be built; `mailAlerts` has the built ones. */
function unbuiltDigests({ digestErrors: errors }: LastRun, nextAttempt: string): FoundAlert[] {
  const unbuilt = errors.filter(({ isBuilt }) => !isBuilt);
  const alike = Map.groupBy(unbuilt, ({ code, digest }) => `${code}/${digest}/digest`);
  return [...alike].map(([key, group]) => {
    const { code, digest, every, detail } = group.at(-1)!;
    const days = group.map(({ day }) => day).sort();
    const periods =
      every === 'day' ? formatDays(days) : formatList(days.map((day) => periodName(periodOf(every, day))));
    return {
      code,
      key,
      account: null,
      severity: 'error',
      title: `${digest} of ${periods} wasn't sent: ${errorCatalogue[code].summary}`,
      cause: `${withStop(detail)} ${nextAttempt}`,
      days: [],
      affects: days,
      retried: true,
      steps: days.map((day) => typed('To do it now', 'digest', '--day', day, '--digest', digest)),
    };
  });
}
