import { starred } from '../../model/accepted.ts';
import { acceptedFor, signOf } from '../../model/anomaly.ts';
import { type Day, yesterday } from '../../model/day.ts';
import { Failure } from '../../model/errors.ts';
import { unreadableReason } from '../../model/records.ts';
import { type WindowResponse, windowSubject } from '../../model/window.ts';
import { asTyped } from '../../support/commands.ts';
import { formatCountOf } from '../../support/english.ts';
import { isErased } from '../../warehouse/ledger/accounts.ts';
import { isAlreadyLoaded } from '../../warehouse/ledger/ledger.ts';
import { readEntry, recordUnchanged } from '../../warehouse/ledger/window-entry.ts';
import type { KnownAccount } from '../run/accounts.ts';
import { toItemFailure } from '../run/failures.ts';
import type { Run } from '../run/run.ts';
import { nonzero } from '../run/run-stats.ts';
import { toCandidate } from './decide.ts';
import { isBeyondLookback } from './due.ts';
import { archiveUnreadable, type LoadOutcome, loadWindow } from './load-window.ts';

/** A window to sync. */
export type WindowTask = {
  readonly account: KnownAccount;
  readonly day: Day;
  /** Skips a window that another run has loaded by now. */
  readonly missingOnly: boolean;
};

/** A requested window; disposed of once it is used. */
export type RequestedWindow = {
  readonly window: WindowResponse;
  /** Why none of its records can be read; null if any can. */
  readonly unreadable: string | null;
} & Disposable;

/**
 * Requests a window.
 *
 * @param accepted a person decides on the response before it is loaded
 */
export async function requestWindow(
  run: Pick<Run, 'clock' | 'databaseClock' | 'service' | 'config' | 'runDate' | 'id'>,
  { id, ...account }: KnownAccount,
  day: Day,
  accepted: boolean,
): Promise<RequestedWindow> {
  const { timeZone } = account;
  const { runDate } = run;
  const now = run.clock();
  const fetchedAt = run.databaseClock();
  const summary = await run.service.summarizeCampaigns(account, { from: day, to: day });
  return {
    window: {
      ...toCandidate(summary, { ...run.config.planning, day, runDate, accepted, now, timeZone }),
      accountId: id,
      runId: run.id,
      fetchedAt,
      response: summary.response,
    },
    unreadable: unreadableReason(summary),
    [Symbol.dispose]: () => summary[Symbol.dispose](),
  };
}

/**
 * Syncs a window: requests it, loads it in one transaction, counts and logs what became of it. Returns why it failed; null if
 * it did not. Rejects only with an error that ends the whole run.
 */
export async function syncWindow(run: Run, task: WindowTask): Promise<Failure | null> {
  const { account, day, missingOnly } = task;
  const subject = windowSubject(account.name, day);
  const fetchedAt = run.databaseClock();
  try {
    if (missingOnly && (await isAlreadyLoaded(run.warehouse, run.id, account.id, day))) return null;
    // The second time, a count that says another number than the list is an anomaly.
    for (const mayRepeat of [true, false]) {
      using requested = await requestWindow(run, account, day, false);
      const { window, unreadable } = requested;
      if (unreadable !== null) {
        await archiveUnreadable(run.warehouse, window);
        run.stats.rejects += window.rejectCount;
        throw new Failure('INVALID_RESPONSE', `invalid response (${unreadable})`, { subject });
      }
      const isAccepted = acceptedFor(run.signs.accepted, account.name);
      const loaded = await loadWindow(run.warehouse, window, mayRepeat, isAccepted);
      if (loaded.decision === 'repeat') continue;
      // Yesterday was never missing, nor was history that nobody expected before its backfill.
      const last = yesterday(run.clock(), account.timeZone);
      const wasMissed = !missingOnly && account.since !== null && day >= account.since && day < last;
      countLoaded(run, account.name, window, loaded, wasMissed && loaded.before === 'failed');
      break;
    }
    return null;
  } catch (thrown) {
    const failure = toItemFailure(thrown, run, subject);
    // Nothing is expected any more of an account that `forget` erased meanwhile.
    if (await isErased(run.warehouse, account.id)) return null;
    return (await isNoError(run, account, { day, fetchedAt }, failure)) ? null : failure;
  }
}

/**
 * Returns whether an answer without records is no error: of a settled day beyond `LOOKBACK_DAYS`, which the service may not keep,
 * and of a day for which somebody accepted the same answer. It changes nothing of the day.
 */
async function isNoError(
  { warehouse, clock, config, runDate, log }: Run,
  { id: accountId, name, timeZone }: KnownAccount,
  { day, fetchedAt }: Pick<WindowResponse, 'day' | 'fetchedAt'>,
  { sign, detail }: Failure,
): Promise<boolean> {
  if (sign === null) return false;
  const entry = await readEntry(warehouse, { accountId, day });
  const isGone =
    entry?.isSettled === true &&
    isBeyondLookback(day, yesterday(clock(), timeZone), config.planning.lookbackDays);
  const isAccepted = entry?.anomalies.some(
    (anomaly) =>
      anomaly.code === 'empty' && starred({ kind: 'empty', sign }) === starred({ ...signOf(anomaly) }),
  );
  if (!isGone && !isAccepted) return false;
  await recordUnchanged(warehouse, { accountId, day, fetchedAt, runDate });
  log.info({ account: name, day }, `${day} ${name}: nothing changed: ${detail}`);
  return true;
}

/**
 * Counts what became of a response, and logs it.
 *
 * @param isHealed its day was missing, or had failed in an earlier run
 */
export function countLoaded(
  { stats, log }: Run,
  account: string,
  { day, records, rejectCount }: WindowResponse,
  loaded: LoadOutcome,
  isHealed: boolean,
): void {
  const head = `${day} ${account}:`;
  const fields = {
    account,
    day,
    campaigns: records.length,
    rejects: rejectCount,
  };
  if (loaded.futureFetchedAt !== null)
    log.warn(
      { account, day },
      `${head} its last response was recorded as fetched at ${loaded.futureFetchedAt}, which is in the future: ignored. Check the clock of the database`,
    );
  if (loaded.decision === 'stale') {
    stats.windows.stale++;
    log.debug(fields, `${head} a newer response was decided on already`);
    return;
  }
  stats.rejects += rejectCount;
  if (loaded.decision === 'ignore') {
    log.info(fields, `${head} response ignored: ${loaded.because}`);
    return;
  }
  if (loaded.decision === 'hold') {
    stats.windows.held++;
    const dryRun = asTyped('run', '--day', day, '--account', account, '--dry-run');
    log.warn(fields, `${head} response held: ${loaded.because}; to see what it would change: ${dryRun}`);
    return;
  }
  if (loaded.decision !== 'apply') return;
  const { appeared, updated, withdrawn, restatements, unchanged } = loaded.change;
  stats.windows.loaded++;
  if (loaded.before === 'failed') stats.windows.new++;
  if (isHealed) stats.windows.healed++;
  stats.rows.appeared += appeared.length;
  stats.rows.updated += updated.length;
  stats.rows.withdrawn += withdrawn.length;
  stats.rows.restated += restatements.length;
  stats.rows.unchanged += unchanged;
  const changes = [
    formatCountOf(records.length, 'campaign'),
    ...nonzero([
      [appeared.length, 'new'],
      [updated.length, 'changed'],
      [withdrawn.length, 'withdrawn'],
      [restatements.length, 'restated'],
      [rejectCount, 'in quarantine'],
    ]),
  ];
  const line = `${head} ${isHealed ? 'healed, ' : ''}${changes.join(', ')}`;
  if (loaded.provisional === null) {
    log.debug(fields, line);
    return;
  }
  stats.windows.provisional++;
  log.warn(fields, `${line}, provisional: ${loaded.provisional}`);
}
