import type { Config } from '../../config/config.ts';
import { bareAddress } from '../../mail/message.ts';
import { isAccepted } from '../../model/accepted.ts';
import type { ActiveAlert } from '../../model/alert.ts';
import { addDays, daysBetween, yesterday } from '../../model/day.ts';
import type { WalkState } from '../../model/walk.ts';
import { type ScheduledTimes, scheduledTimesOf } from '../../schedule/scheduled-times.ts';
import type { Queries } from '../../warehouse/db/database.ts';
import { writeRefusal } from '../../warehouse/db/writable.ts';
import { readAccepted } from '../../warehouse/ledger/accepted.ts';
import { readInstalledAt } from '../../warehouse/ledger/runs.ts';
import { readWalkStates } from '../../warehouse/load/client-walks.ts';
import { readQuarantined } from '../../warehouse/load/rejects.ts';
import { readRecordedAlerts } from '../../warehouse/outbox/alerts.ts';
import { unsentMail } from '../../warehouse/outbox/deliveries.ts';
import { readPeriodStates } from '../../warehouse/outbox/mails.ts';
import { readAccountDays, readEarlierDays } from '../../warehouse/queries/account-days.ts';
import { readNightlies, readOtherRun } from '../../warehouse/queries/run-history.ts';
import { readSameCampaigns } from '../../warehouse/queries/same-campaigns.ts';
import type { AppContext } from '../run/app-context.ts';
import { isRetryAhead } from '../run/retries.ts';
import type { Run } from '../run/run.ts';
import { type ErrorCause, summaryOf } from '../run/run-stats.ts';
import { diagnose } from './diagnose.ts';
import { unique } from './items.ts';
import type { AccountState, LastRun, WarehouseState } from './state.ts';

export type AlertContext = Pick<AppContext, 'config' | 'clock' | 'compareClocks' | 'unrecorded'>;

/** The state of the accounts, the alerts about it, and the nightly runs. */
export type State = Pick<WarehouseState, 'accounts' | 'running' | 'lastRun'> & {
  readonly alerts: readonly ActiveAlert[];
};

/**
 * Reads the state of every account and the active alerts, as alert mail, page, `status` and metrics render them.
 *
 * @param ending the run that asks at its end: it isn't recorded yet
 */
export async function readState(
  queries: Queries,
  { config, clock, compareClocks, unrecorded }: AlertContext,
  ending?: Run,
): Promise<State> {
  const clockAheadMs = await compareClocks(queries);
  const now = clock();
  const times = scheduledTimes(config);
  const { catchUpDays, timeZone } = config.planning;
  const since = addDays(yesterday(now, timeZone), -catchUpDays);
  const accounts = await readAccounts(queries, config, now);
  const names = accounts.map(({ name }) => name);
  const running = await readOtherRun(queries, ending?.id);
  const lastRun = await readLastRun(queries, config, now, running?.run, ending);
  // A run that is running is late, or not; nothing becomes late meanwhile.
  const until =
    running !== null && Temporal.Instant.compare(running.startedAt, now) < 0 ? running.startedAt : now;
  const recorded = await readRecordedAlerts(queries);
  // Accounts begin to share what is new or changed: without that, the days that are loaded and settled aren't compared.
  const news = unique(accounts.flatMap(({ days }) => days.map(({ day }) => day)));
  const isShared =
    [...recorded].some(([key, { since }]) => key.startsWith('SAME_CAMPAIGNS/') && since !== null) ||
    (await readSameCampaigns(queries, names, news)).length > 0;
  const fetched = daysBetween(since, addDays(since, catchUpDays));
  const state = {
    clockAheadMs,
    accounts,
    sameCampaigns: isShared ? await readSameCampaigns(queries, names, fetched) : [],
    deliveries: await unsentMail(queries, config.digests),
    testAddress: config.alerts.to[0] ?? bareAddress(config.mail.from),
    lastRun,
    missedTimes: countMissed(times, lastRun?.startedAt ?? (await readInstalledAt(queries)), until),
    nextRunAt: times.next(now),
    recipients: config.recipientsPlace,
    preventing: (await writeRefusal(queries)) ?? unrecorded.run,
    running,
    recorded,
  };
  return { ...state, alerts: diagnose(state, now, timeZone) };
}

export const scheduledTimes = ({ schedule, planning }: Config): ScheduledTimes =>
  scheduledTimesOf({ expression: schedule, timeZone: planning.timeZone });

/** A scheduled run begins within this time. */
const startsWithin = { minutes: 1 };

/** More are as good as so many. */
const maxMissed = 100;

/** Counts the scheduled times after a run, or the installation, at which another one should have begun. */
export function countMissed(times: ScheduledTimes, since: Temporal.Instant, now: Temporal.Instant): number {
  const until = now.subtract(startsWithin);
  let missed = 0;
  for (let at = times.next(since); missed < maxMissed; at = times.next(at), missed++)
    if (Temporal.Instant.compare(at, until) > 0) break;
  return missed;
}

/** The settings of another process name the account. */
const elsewhere = 'the setting SIDTOKEN, or where ACCOUNTS_FILE names it';

async function readAccounts(
  queries: Queries,
  { planning, service, tokenPlaces }: Config,
  now: Temporal.Instant,
): Promise<AccountState[]> {
  const walks = await readWalkStates(queries);
  const accepted = await readAccepted(queries, service.baseUrl);
  const isKnown = (account: string, { verdict }: WalkState, sign: string) => {
    const kind = verdict === 'remarked' ? 'remark' : 'empty';
    return isAccepted(accepted, { kind, operation: 'getClients', sign, account });
  };
  const accounts = await readAccountDays(queries, now, planning.catchUpDays);
  const earlier = await readEarlierDays(queries, accounts);
  const [first] = accounts.map(({ catchUpFrom }) => catchUpFrom).sort();
  const rejects = first === undefined ? [] : await readQuarantined(queries, first);
  const quarantined = Map.groupBy(rejects, ({ accountId }) => accountId);
  return accounts.flatMap((account): AccountState | [] => {
    const walk = walks.get(account.name);
    // Retired in between.
    if (walk === undefined) return [];
    const records = quarantined.get(account.id) ?? [];
    return {
      ...account,
      token: tokenPlaces[account.name] ?? elsewhere,
      earlier: earlier.get(account.id) ?? null,
      quarantined: records.filter(({ day }) => day === null || day >= account.catchUpFrom),
      walk: { ...walk, signs: walk.signs.filter((sign) => !isKnown(account.name, walk, sign)) },
    };
  });
}

/** The last nightly run that ended. A run that reads at its end has ended. */
async function readLastRun(
  queries: Queries,
  config: Config,
  now: Temporal.Instant,
  running?: number,
  ending?: Run,
): Promise<LastRun | null> {
  const nightlies = await readNightlies(queries);
  const last = nightlies.find(({ run }) => run !== running);
  if (last === undefined) return null;
  const isEnding = last.run === ending?.id;
  const { failures } = (isEnding ? summaryOf(ending.stats) : last.summary) ?? {};
  const rhythms = new Map(config.digests.map(({ name, every }) => [name, every]));
  const ofDigests = ((failures ?? []) as ErrorCause[]).flatMap(({ code, detail, places }) =>
    places.flatMap(({ digest, day }) =>
      digest === undefined || day === null
        ? []
        : { digest, every: rhythms.get(digest) ?? 'day', day, code, detail },
    ),
  );
  const states = await readPeriodStates(
    queries,
    ofDigests.map(({ digest: name, every, day }) => ({ name, every, day })),
  );
  const startedAt = Temporal.Instant.from(last.startedAt);
  return {
    run: last.run,
    startedAt,
    runDate: last.runDate,
    isInterrupted: !isEnding && (last.finishedAt === null || last.outcome === 'interrupted'),
    retryAt: isRetryAhead(last.retryAt, now) ? Temporal.Instant.from(last.retryAt!) : null,
    error: isEnding ? null : errorOf(last.summary),
    digestErrors: ofDigests.map((each, index) => ({ ...each, isBuilt: states[index] !== null })),
  };
}

type Nightly = Awaited<ReturnType<typeof readNightlies>>[number];

/** The error that ended a run, as its version of the job recorded it. */
function errorOf(summary: Nightly['summary']): LastRun['error'] {
  const { ended, endedCode } = summary ?? {};
  if (typeof ended !== 'string' || typeof endedCode !== 'string') return null;
  return { code: endedCode as NonNullable<LastRun['error']>['code'], detail: ended };
}
