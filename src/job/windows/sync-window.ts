import type { Config } from '../../config/config.ts';
import { type Day, isOver, yesterday } from '../../model/day.ts';
import { Failure } from '../../model/errors.ts';
import { type CampaignRecord, unreadableReason } from '../../model/records.ts';
import { msSince } from '../../support/clock.ts';
import { asTyped } from '../../support/commands.ts';
import { formatCountOf } from '../../support/english.ts';
import { isErased } from '../../warehouse/ledger/accounts.ts';
import { isLoadedByOther } from '../../warehouse/ledger/ledger.ts';
import type { WindowResponse } from '../../warehouse/load/windows.ts';
import type { KnownAccount } from '../run/accounts.ts';
import { toItemFailure } from '../run/failures.ts';
import type { Run } from '../run/run.ts';
import type { RunStats } from '../run/run-stats.ts';
import { contentHash, hasCalls, mostlyUnreported } from './decide.ts';
import { earliestDue, isBeyondLookback } from './due.ts';
import { keepUnreadable, loadWindow } from './load-window.ts';

/** A window to sync. */
export type WindowTask = {
  readonly account: KnownAccount;
  readonly day: Day;
  /** Applies a held response. */
  readonly accepted: boolean;
  /** Skips a window that another run has loaded by now. */
  readonly missingOnly: boolean;
};

type Fetched = {
  readonly campaigns: number;
  readonly rejects: number;
  readonly ms: number;
};

/** The outcome of a window. Skipped: another run has loaded it, or its account was erased. */
export type WindowResult =
  | { readonly outcome: 'skipped' }
  | { readonly outcome: 'failed'; readonly error: Failure; readonly rejects: number }
  | (Fetched & { readonly outcome: 'stale' })
  /** The service doesn't keep that day any more: it stays as it is. */
  | (Fetched & { readonly outcome: 'kept' })
  | (Fetched & { readonly outcome: 'held'; readonly because: string })
  | (Fetched & {
      readonly outcome: 'loaded';
      /** Rows of the warehouse, by what the response changed in them. */
      readonly rows: Readonly<RunStats['rows']>;
      /** It was missing, or had failed in an earlier run. */
      readonly healed: boolean;
      /** Why the day is provisional; null if it is confirmed. */
      readonly provisional: string | null;
    });

export type LoadedResult = Extract<WindowResult, { readonly outcome: 'loaded' }>;

/** Syncs one window: fetch, decide, load in one transaction. Rejects only with an error that ends the whole run. */
export async function syncWindow(run: Run, task: WindowTask): Promise<WindowResult> {
  const { warehouse, id } = run;
  const { account, day, missingOnly } = task;
  try {
    if (missingOnly && (await isLoadedByOther(warehouse, id, account.id, day))) return { outcome: 'skipped' };
    // By `forget`, during a backfill: nothing is expected of the account any more.
    if (missingOnly && (await isErased(warehouse, account.id))) return { outcome: 'skipped' };
    const first = await fetchAndLoad(run, task, true);
    return first === 'repeat' ? ((await fetchAndLoad(run, task, false)) as WindowResult) : first;
  } catch (thrown) {
    const error = toItemFailure(thrown, run, `account ${account.name}, campaigns of ${day}`);
    if (await isErased(warehouse, account.id)) return { outcome: 'skipped' };
    return { outcome: 'failed', error, rejects: 0 };
  }
}

/**
 * Returns `repeat`, if it may, for a response with a count that announces more campaigns than it lists: then
 * nothing is loaded.
 */
async function fetchAndLoad(
  run: Run,
  task: WindowTask,
  repeatable: boolean,
): Promise<WindowResult | 'repeat'> {
  const { account, day, accepted } = task;
  const began = { at: run.clock(), ms: performance.now() };
  const fetchedAt = run.databaseClock();
  using summary = await run.service.summarizeCampaigns(account, { from: day, to: day });
  const response: WindowResponse = {
    accountId: account.id,
    day,
    runId: run.id,
    runDate: run.runDate,
    fetchedAt,
    ...circumstancesOf(summary.records, day, {
      ...run.config.planning,
      now: began.at,
      timeZone: account.timeZone,
    }),
    records: summary.records,
    rejects: summary.rejects,
    rejectCount: summary.rejectCount,
    envelope: { rows: summary.rows, counts: summary.counts, notice: summary.notice },
    response: summary.response,
  };
  const rejects = summary.rejectCount;
  const unreadable = unreadableReason(summary);
  if (unreadable !== null) {
    await keepUnreadable(run.warehouse, response);
    const subject = `account ${account.name}, campaigns of ${day}`;
    const error = new Failure('INVALID_RESPONSE', `invalid response (${unreadable})`, { subject });
    return { outcome: 'failed', error, rejects };
  }
  const loaded = await loadWindow(run.warehouse, response, { accepted, repeatable });
  if (loaded.decision === 'repeat') return 'repeat';
  if (loaded.futureFetchedAt !== null)
    run.log.warn(
      { account: account.name, day },
      `${day} ${account.name}: its last response was recorded as fetched at ${loaded.futureFetchedAt}, which is in the future: ignored. Check the clock of the database`,
    );
  const fetched = {
    campaigns: response.records.length,
    rejects,
    ms: msSince(began.ms),
  };
  if (loaded.decision === 'stale') return { ...fetched, outcome: 'stale' };
  if (loaded.decision === 'hold') return { ...fetched, outcome: 'held', because: loaded.because };
  if (loaded.decision === 'keep') return { ...fetched, outcome: 'kept' };
  const { appeared, updated, withdrawn, restatements, unchanged } = loaded.change;
  return {
    ...fetched,
    outcome: 'loaded',
    rows: {
      appeared: appeared.length,
      updated: updated.length,
      withdrawn: withdrawn.length,
      restated: restatements.length,
      unchanged,
    },
    healed: loaded.before === 'failed' && wasExpected(run, task),
    provisional: loaded.provisional,
  };
}

/**
 * False for yesterday, which no run could load before, and for history, which nobody expected before its
 * backfill.
 */
function wasExpected(run: Run, { account, day, missingOnly }: WindowTask): boolean {
  if (missingOnly || account.since === null) return false;
  return day >= account.since && day < yesterday(run.clock(), account.timeZone);
}

/** What the decision needs of the records and of the time at which they were fetched. */
export function circumstancesOf(
  records: readonly CampaignRecord[],
  day: Day,
  {
    now,
    timeZone,
    lookbackDays,
    catchUpDays,
  }: Pick<Config['planning'], 'lookbackDays' | 'catchUpDays'> &
    Pick<KnownAccount, 'timeZone'> & { readonly now: Temporal.Instant },
) {
  const last = yesterday(now, timeZone);
  const knownSince = earliestDue(last, catchUpDays);
  return {
    contentHash: contentHash(records),
    unreported: mostlyUnreported(records),
    hasCalls: records.some(hasCalls),
    isOver: isOver(day, timeZone, now),
    isLastChance: day <= knownSince,
    isBeyondLookback: isBeyondLookback(day, last, lookbackDays),
    knownSince,
  };
}

/** Counts the result of an attempt, and logs it; an error is reported once the attempts are over. */
export function reportResult(run: Run, { account, day }: WindowTask, result: WindowResult): void {
  const { stats, log } = run;
  if (result.outcome === 'skipped') return;
  if (result.outcome === 'failed') {
    stats.rejects += result.rejects;
    return;
  }
  const { campaigns, rejects, ms } = result;
  const fields = {
    account: account.name,
    day,
    campaigns,
    rejects,
    ms,
  };
  const head = `${day} ${account.name}:`;
  if (result.outcome === 'stale') {
    stats.windows.stale++;
    log.debug(fields, `${head} a newer response was decided on already`);
    return;
  }
  stats.rejects += rejects;
  if (result.outcome === 'kept') {
    log.info(fields, `${head} the service lists nothing any more: the day stays as it is`);
    return;
  }
  if (result.outcome === 'held') {
    stats.windows.held++;
    const dryRun = asTyped('run', '--day', day, '--account', account.name, '--dry-run');
    const how = `for ${result.because}; to see what it would change: ${dryRun}`;
    log.warn(fields, `${head} the response is held back, ${how}`);
    return;
  }
  stats.windows.loaded++;
  if (result.healed) stats.windows.healed++;
  for (const name of rowCounts) stats.rows[name] += result.rows[name];
  const line = `${head} ${describeLoaded(result)}`;
  if (result.provisional === null) {
    log.debug(fields, line);
    return;
  }
  stats.windows.provisional++;
  log.warn(fields, line);
}

const rowCounts = ['appeared', 'updated', 'withdrawn', 'restated', 'unchanged'] as const;

function describeLoaded(result: LoadedResult): string {
  const { healed, campaigns, rejects, rows, provisional } = result;
  const counts = [
    { count: rows.appeared, what: 'new' },
    { count: rows.updated, what: 'changed' },
    { count: rows.withdrawn, what: 'withdrawn' },
    { count: rows.restated, what: 'restated' },
    { count: rejects, what: 'in quarantine' },
  ];
  const nonzero = counts.filter(({ count }) => count > 0).map(({ count, what }) => `, ${count} ${what}`);
  const unknown = provisional === null ? '' : `, provisional: ${provisional}`;
  return `${healed ? 'healed, ' : ''}${formatCountOf(campaigns, 'campaign')}${nonzero.join('')}${unknown}`;
}
