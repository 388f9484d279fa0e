import type { ActiveAlert } from '../../model/alert.ts';
import { addDays, type Day } from '../../model/day.ts';
import { yesterday } from '../../planning/business-day.ts';
import type { AccountState } from '../../planning/diagnosis/account-alerts.ts';
import { diagnose } from '../../planning/diagnosis/diagnose.ts';
import type { LastRun } from '../../planning/diagnosis/run-alerts.ts';
import { isCorrectable } from '../../planning/digests-due.ts';
import { earliestDue } from '../../planning/windows-due.ts';
import type { Queries } from '../../warehouse/db/database.ts';
import { incompleteDigests } from '../../warehouse/outbox/corrections.ts';
import { settledDigests } from '../../warehouse/outbox/digests.ts';
import {
  readAccountConcerns,
  readLastNightly,
  readRecordedAlerts,
} from '../../warehouse/queries/alert-state.ts';
import { deadWindows } from '../../warehouse/queries/dead-windows.ts';
import { unsentMail } from '../../warehouse/queries/status.ts';
import { readWalkStates } from '../../warehouse/queries/walk-states.ts';
import type { AppContext } from '../run/app-context.ts';
import type { Run } from '../run/run.ts';
import { restoreRunStats } from '../run/run-stats.ts';

/** A run at its end, and what it did. */
type EndingRun = Pick<Run, 'id' | 'stats'>;

export type AlertContext = Pick<AppContext, 'config' | 'clock'>;

/**
 * The active alerts: what alert mail, page, `status` and metrics render.
 *
 * @param ending the run that asks at its end, which isn't recorded yet
 */
export async function readAlerts(
  queries: Queries,
  { config, clock }: AlertContext,
  ending?: EndingRun,
): Promise<ActiveAlert[]> {
  const now = clock();
  const { catchUpDays, timeZone } = config.planning;
  const since = addDays(yesterday(now, timeZone), -catchUpDays);
  const incomplete = await incompleteDigests(queries, since);
  return diagnose({
    now,
    state: {
      accounts: await readAccounts(queries, now, catchUpDays),
      deliveries: await unsentMail(queries),
      incomplete: incomplete.filter((each) => isCorrectable(config.digests, each)),
      lastRun: await readLastRun(queries, ending),
      recorded: await readRecordedAlerts(queries),
    },
  });
}

async function readAccounts(
  queries: Queries,
  now: Temporal.Instant,
  catchUpDays: number,
): Promise<AccountState[]> {
  const walks = await readWalkStates(queries);
  const dead = await deadWindows(queries);
  const concerns = await readAccountConcerns(queries);
  return concerns.flatMap(({ name, timeZone, since, days, suspicious, quarantined }) => {
    const walk = walks.get(name);
    // Retired in between.
    if (walk === undefined) return [];
    const firstCaughtUp = earliestDue(yesterday(now, timeZone), catchUpDays);
    // A loaded day that runs no longer fetch again is as final as it gets.
    const open = days.filter(({ state, day }) => state !== 'loaded' || day >= firstCaughtUp);
    const unfinished = dead.filter(
      ({ account, day }) => account === name && open.every((each) => each.day !== day || each.line === null),
    );
    const isUnfinished = (day: Day) => unfinished.some((each) => each.day === day);
    return {
      name,
      timeZone,
      since,
      firstCaughtUp,
      failed: [
        ...open.flatMap(({ day, code, line }) =>
          line === null ? [] : { day, code: code ?? ('INTERNAL' as const), line },
        ),
        ...unfinished.map(({ day, said }) => ({
          day,
          code: 'WINDOW_UNFINISHED' as const,
          line: said ?? 'the worker ended',
        })),
      ].sort((one, other) => (one.day < other.day ? -1 : 1)),
      missing: open
        .filter(({ state, day, line }) => state !== 'loaded' && line === null && !isUnfinished(day))
        .map(({ day }) => day),
      held: days.filter(({ held }) => held).map(({ day }) => day),
      suspicious: suspicious as AccountState['suspicious'],
      quarantined,
      walk,
    };
  });
}

async function readLastRun(queries: Queries, ending?: EndingRun): Promise<LastRun | null> {
  const last = await readLastNightly(queries);
  if (last === undefined) return null;
  const isEnding = last.run === ending?.id;
  const { failures } = isEnding ? ending.stats : restoreRunStats(last.summary ?? {});
  const ofDigests = failures.flatMap(({ digest, day, code, line }) =>
    digest === undefined || day === null ? [] : { digest, day, code, line },
  );
  const first = ofDigests.map(({ day }) => day).sort()[0];
  const settled = first === undefined ? [] : await settledDigests(queries, first);
  const isSettled = ({ digest, day }: { digest: string; day: Day }) =>
    settled.some((each) => each.name === digest && each.day === day);
  return {
    run: last.run,
    startedAt: Temporal.Instant.from(last.startedAt),
    state: isEnding ? 'ended' : stateOf(last),
    retryAt: last.retryAt,
    error: isEnding ? null : errorOf(last.summary),
    digestErrors: ofDigests.filter((each) => !isSettled(each)),
    campaignsBehind: last.campaignsBehind,
  };
}

type Nightly = NonNullable<Awaited<ReturnType<typeof readLastNightly>>>;

function stateOf({ finishedAt, retryAt, outcome, followed, lockHeld }: Nightly): LastRun['state'] {
  if (outcome === 'interrupted') return 'interrupted';
  if (finishedAt !== null) return 'ended';
  if (retryAt !== null) return 'waiting';
  return lockHeld && !followed ? 'in progress' : 'interrupted';
}

/** What ended a run as a whole, as its version of the job wrote it. */
function errorOf(summary: Nightly['summary']): LastRun['error'] {
  const { ended, endedCode } = summary ?? {};
  if (typeof ended !== 'string' || typeof endedCode !== 'string') return null;
  return { code: endedCode as NonNullable<LastRun['error']>['code'], line: ended };
}
