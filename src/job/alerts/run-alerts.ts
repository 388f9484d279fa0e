import { type ErrorCode, errorCatalogue } from '../../model/errors.ts';
import { digestName } from '../../model/period.ts';
import { withStop } from '../../support/english.ts';
import { hit, manual, runNow, titled, typed } from './sentences.ts';
import type { FoundAlert, LastRun, WarehouseState } from './state.ts';

/** The alerts about the last nightly run. */
export function runAlerts({ accounts, lastRun }: WarehouseState, nextAttempt: string): FoundAlert[] {
  if (accounts.every(({ since }) => since === null) && lastRun === null) return [nothingLoaded];
  if (lastRun === null) return [];
  return [
    ...(lastRun.state === 'interrupted' ? [interrupted(lastRun)] : []),
    ...(lastRun.error === null ? [] : [runFailedAlert(lastRun.error, nextAttempt)]),
    ...unbuiltDigests(lastRun, nextAttempt),
  ];
}

const nothingLoaded: FoundAlert = {
  code: 'NOTHING_LOADED',
  key: 'NOTHING_LOADED',
  severity: 'warning',
  ...titled('no nightly run yet', []),
  cause: 'The first one loads yesterday.',
  accounts: [],
  affects: ['everything'],
  retried: true,
  steps: [runNow()],
};

const interrupted = ({ run }: LastRun): FoundAlert => ({
  code: 'RUN_INTERRUPTED',
  key: 'RUN_INTERRUPTED',
  severity: 'warning',
  ...titled('last run interrupted', []),
  cause: 'What it had loaded stays. The next run does the rest.',
  accounts: [],
  affects: [`run ${run}`],
  retried: true,
  steps: [runNow()],
});

/** The alert about an error that ended or prevented a run. */
export function runFailedAlert(
  { code, detail }: NonNullable<LastRun['error']>,
  nextAttempt = 'The next run tries again.',
): FoundAlert {
  return {
    code,
    key: `${code}/run`,
    severity: 'error',
    ...titled(`run ended: ${errorCatalogue[code].summary}`, []),
    cause: `${withStop(detail)} ${nextAttempt}`,
    accounts: [],
    affects: ['run'],
    retried: true,
    steps: [stepBeforeRun(code), runNow('Then')],
  };
}

function stepBeforeRun(code: ErrorCode) {
  if (code === 'SCHEMA_TOO_OLD') return typed('To bring the schema to this version', 'migrate');
  if (code === 'INTERNAL') return manual('Report it, with the stack in the log of the run');
  return typed('To see what is wrong', 'doctor');
}

/** One alert for each code that kept digests from being built; `mailAlerts` has the built ones. */
function unbuiltDigests({ digestErrors }: LastRun, nextAttempt: string): FoundAlert[] {
  const alike = Map.groupBy(
    digestErrors.filter(({ isBuilt }) => !isBuilt),
    ({ code }) => code,
  );
  return [...alike].map(([code, group]) => {
    const names = group.map((each) => digestName({ ...each, name: each.digest }));
    return {
      code,
      key: `${code}/digest`,
      severity: 'error',
      ...titled(`digest not sent, ${errorCatalogue[code].summary}`, hit('digest', names)),
      cause: `${withStop(group.at(-1)!.detail)} ${nextAttempt}`,
      accounts: [],
      affects: names,
      retried: true,
      steps: [
        ...group
          .slice(0, 2)
          .map(({ day, digest }) => typed('To do it now', 'digest', '--day', day, '--digest', digest)),
        ...(group.length > 2 ? [runNow('To build the others')] : []),
      ],
    };
  });
}
