import type { Config } from '../../config/config.ts';
import type { ActiveAlert } from '../../model/alert.ts';
import { addDays, yesterday } from '../../model/day.ts';
import type { DayState } from '../../model/window.ts';
import { scheduledTimesOf } from '../../schedule/scheduled-times.ts';
import type { Queries } from '../../warehouse/db/database.ts';
import { incompleteDigests } from '../../warehouse/outbox/corrections.ts';
import { settledDigests } from '../../warehouse/outbox/digests.ts';
import { type AccountDays, readAccountDays } from '../../warehouse/queries/account-days.ts';
import {
  isBackfilling,
  readLastNightly,
  readQuarantined,
  readRecordedAlerts,
} from '../../warehouse/queries/alert-state.ts';
import { type DeadWindow, deadWindows } from '../../warehouse/queries/dead-windows.ts';
import { readSameCampaigns } from '../../warehouse/queries/same-campaigns.ts';
import { unsentMail } from '../../warehouse/queries/unsent-mail.ts';
import { readWalkStates } from '../../warehouse/queries/walk-states.ts';
import { correctable } from '../digests/due.ts';
import type { AppContext } from '../run/app-context.ts';
import { isRetryAhead } from '../run/retries.ts';
import type { Run } from '../run/run.ts';
import type { ReportedError } from '../run/run-stats.ts';
import { diagnose } from './diagnose.ts';
import type { AccountState, FailedDay, LastRun } from './state.ts';

export type AlertContext = Pick<AppContext, 'config' | 'clock'>;

/** How the accounts are, and what of it needs a run or a person. */
export type State = { readonly accounts: readonly AccountState[]; readonly alerts: readonly ActiveAlert[] };

/**
 * Reads the state of every account and the active alerts, as alert mail, page, `status` and metrics render them.
 *
 * @param ending the run that asks at its end: it isn't recorded yet
 */
export async function readState(
  queries: Queries,
  { config, clock }: AlertContext,
  ending?: Run,
): Promise<State> {
  const now = clock();
  const { catchUpDays, timeZone } = config.planning;
  const since = addDays(yesterday(now, timeZone), -catchUpDays);
  const incomplete = await incompleteDigests(queries, since);
  const accounts = await readAccounts(queries, config, now);
  const names = accounts.map(({ name }) => name);
  const alerts = diagnose({
    now,
    timeZone,
    state: {
      accounts,
      sameCampaigns: await readSameCampaigns(queries, names, since, addDays(since, catchUpDays)),
      isBackfilling: await isBackfilling(queries),
      deliveries: await unsentMail(queries, config.digests),
      incomplete: correctable(
        config.digests,
        incomplete.filter(({ isTold }) => isTold),
      ).map(({ first }) => first),
      lastRun: await readLastRun(queries, config, now, ending),
      recorded: await readRecordedAlerts(queries),
    },
  });
  return { accounts, alerts };
}

async function readAccounts(
  queries: Queries,
  { planning, tokenPlaces }: Config,
  now: Temporal.Instant,
): Promise<AccountState[]> {
  const walks = await readWalkStates(queries);
  const dead = Map.groupBy(await deadWindows(queries), ({ account }) => account);
  const accounts = await readAccountDays(queries, now, planning.catchUpDays);
  const [first] = accounts.map(({ firstCaughtUp }) => firstCaughtUp).sort();
  const rejects = first === undefined ? [] : await readQuarantined(queries, first);
  const quarantined = Map.groupBy(rejects, ({ accountId }) => accountId);
  return accounts.flatMap(({ id, ...account }) => {
    const walk = walks.get(account.name);
    // Retired in between.
    if (walk === undefined) return [];
    const { days, firstCaughtUp } = account;
    return {
      ...account,
      tokenPlace: tokenPlaces[account.name] ?? 'SIDTOKEN, or where ACCOUNTS_FILE names it',
      ...attemptedDays(account, dead.get(account.name) ?? []),
      held: days
        .filter(({ held }) => held)
        .map(({ day, code, reason }) => ({ day, reason: code === null ? reason : null })),
      quarantined: (quarantined.get(id) ?? []).filter(({ day }) => day === null || day >= firstCaughtUp),
      walk,
    };
  });
}

/** It lacks, or was fetched before it was over. */
export const isOpen = ({ state, isOver }: Pick<DayState, 'state' | 'isOver'>): boolean =>
  state === 'missing' || state === 'failed' || !isOver;

/** Days that failed or that no worker finished, and days that nobody attempted. */
function attemptedDays(
  { days, firstCaughtUp }: Pick<AccountDays, 'days' | 'firstCaughtUp'>,
  dead: readonly DeadWindow[],
): Pick<AccountState, 'failed' | 'missing'> {
  const byDay = new Map(days.map((each) => [each.day, each]));
  const failed = days.flatMap(({ day, code, reason, state, isOver }): FailedDay[] =>
    code === null ? [] : [{ day, code, detail: reason!, isLoaded: !isOpen({ state, isOver }) }],
  );
  const unfinished = dead
    .filter(({ day, loaded }) => (byDay.get(day)?.code ?? null) === null && (!loaded || day >= firstCaughtUp))
    .map(
      ({ day, said, loaded }): FailedDay => ({
        day,
        code: 'WINDOW_UNFINISHED',
        detail: said ?? 'the worker ended',
        isLoaded: loaded,
      }),
    );
  const attempted = new Set([...failed, ...unfinished].map(({ day }) => day));
  return {
    failed: [...failed, ...unfinished].sort((one, other) => (one.day < other.day ? -1 : 1)),
    missing: days.filter((each) => isOpen(each) && !attempted.has(each.day)).map(({ day }) => day),
  };
}

async function readLastRun(
  queries: Queries,
  { schedule, planning, digests }: Config,
  now: Temporal.Instant,
  ending?: Run,
): Promise<LastRun | null> {
  const last = await readLastNightly(queries);
  if (last === undefined) return null;
  const isEnding = last.run === ending?.id;
  const failures = isEnding ? ending.stats.failures : ((last.summary?.failures ?? []) as ReportedError[]);
  const rhythms = new Map(digests.map(({ name, every }) => [name, every]));
  const ofDigests = failures.flatMap(({ digest, day, code, detail }) =>
    digest === undefined || day === null
      ? []
      : { digest, every: rhythms.get(digest) ?? 'day', day, code, detail },
  );
  const first = ofDigests.map(({ day }) => day).sort()[0];
  const settled = first === undefined ? [] : await settledDigests(queries, first);
  const settledKeys = new Set(settled.map(({ name, day }) => `${day} ${name}`));
  const startedAt = Temporal.Instant.from(last.startedAt);
  const state = isEnding ? 'ended' : stateOf(last, now);
  const error = isEnding ? null : errorOf(last.summary);
  const times = scheduledTimesOf({ expression: schedule, timeZone: planning.timeZone });
  return {
    run: last.run,
    startedAt,
    state,
    retryAt: state === 'waiting' ? Temporal.Instant.from(last.retryAt!) : null,
    nextScheduledAt: times.next(startedAt),
    error,
    digestErrors: ofDigests.map((each) => ({
      ...each,
      isBuilt: settledKeys.has(`${each.day} ${each.digest}`),
    })),
  };
}

type Nightly = NonNullable<Awaited<ReturnType<typeof readLastNightly>>>;

function stateOf({ outcome, finishedAt, retryAt, atWork }: Nightly, now: Temporal.Instant): LastRun['state'] {
  if (finishedAt === null) return atWork ? 'in progress' : 'interrupted';
  if (outcome === 'interrupted') return 'interrupted';
  return isRetryAhead(retryAt, now) ? 'waiting' : 'ended';
}

/** The error that ended a run, as its version of the job recorded it. */
function errorOf(summary: Nightly['summary']): LastRun['error'] {
  const { ended, endedCode } = summary ?? {};
  if (typeof ended !== 'string' || typeof endedCode !== 'string') return null;
  return { code: endedCode as NonNullable<LastRun['error']>['code'], detail: ended };
}
