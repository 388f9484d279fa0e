import { type Day, yesterday } from '../../model/day.ts';
import { Failure } from '../../model/errors.ts';
import { unreadableReason } from '../../model/records.ts';
import type { WindowResponse } from '../../model/window.ts';
import { asTyped } from '../../support/commands.ts';
import { formatCountOf } from '../../support/english.ts';
import { isErased } from '../../warehouse/ledger/accounts.ts';
import { isAlreadyLoaded } from '../../warehouse/ledger/ledger.ts';
import type { KnownAccount } from '../run/accounts.ts';
import { toItemFailure } from '../run/failures.ts';
import type { Run } from '../run/run.ts';
import { nonzero } from '../run/run-stats.ts';
import { toCandidate } from './decide.ts';
import { archiveUnreadable, type LoadOutcome, loadWindow } from './load-window.ts';

/** A window to sync. */
export type WindowTask = {
  readonly account: KnownAccount;
  readonly day: Day;
  /** Somebody accepts the response, held or provisional. */
  readonly accepted: boolean;
  /** Skips a window that another run has loaded by now. */
  readonly missingOnly: boolean;
};

/**
 * Syncs a window: requests it, loads it in one transaction, counts and logs what became of it. Returns why it failed; null if
 * it did not. Rejects only with an error that ends the whole run.
 */
export async function syncWindow(run: Run, task: WindowTask): Promise<Failure | null> {
  const { account, day, accepted, missingOnly } = task;
  const subject = `account ${account.name}, campaigns of ${day}`;
  try {
    if (missingOnly && (await isAlreadyLoaded(run.warehouse, run.id, account.id, day))) return null;
    // The second time, what a count announces in vain is an anomaly.
    for (const mayRepeat of [true, false]) {
      const now = run.clock();
      const fetchedAt = run.databaseClock();
      using summary = await run.service.summarizeCampaigns(account, { from: day, to: day });
      const { timeZone } = account;
      const { runDate } = run;
      const window = {
        ...toCandidate(summary, { ...run.config.planning, day, runDate, accepted, now, timeZone }),
        accountId: account.id,
        runId: run.id,
        fetchedAt,
        response: summary.response,
      };
      const unreadable = unreadableReason(summary);
      if (unreadable !== null) {
        await archiveUnreadable(run.warehouse, window);
        run.stats.rejects += window.rejectCount;
        throw new Failure('INVALID_RESPONSE', `invalid response (${unreadable})`, { subject });
      }
      const loaded = await loadWindow(run.warehouse, window, mayRepeat);
      if (loaded.decision === 'repeat') continue;
      // Yesterday was never missing, nor was history that nobody expected before its backfill.
      const wasMissed =
        !missingOnly && account.since !== null && day >= account.since && day < yesterday(now, timeZone);
      countLoaded(run, account.name, window, loaded, wasMissed && loaded.before === 'failed');
      break;
    }
    return null;
  } catch (thrown) {
    const failure = toItemFailure(thrown, run, subject);
    // Nothing is expected any more of an account that `forget` erased meanwhile.
    return (await isErased(run.warehouse, account.id)) ? null : failure;
  }
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
