import type { Day } from '../../model/day.ts';
import type { Window } from '../../model/window.ts';
import { asTyped } from '../../support/commands.ts';
import { formatCountOf } from '../../support/english.ts';
import { recordFailure } from '../../warehouse/load/windows.ts';
import { fieldsOfError } from '../run/error-of-one.ts';
import type { Run } from '../run/run.ts';
import { type RunStats, reportedError } from '../run/run-stats.ts';
import type { FailedWindow, WindowResult, WindowTask } from './window-result.ts';

/** Counts the result of an attempt, and logs it; an error is reported once the attempts are over. */
export function reportResult(
  { stats, log }: Pick<Run, 'stats' | 'log'>,
  { account, day }: WindowTask,
  result: WindowResult,
): void {
  count(stats, result);
  const { campaigns, rejects, ms } = result;
  const fields = {
    account: account.name,
    day,
    campaigns,
    rejects,
    ms,
  };
  const line = (what: string) =>
    `${day} ${account.name}: ${what}${result.provisional ? ', provisional' : ''}`;
  if (result.outcome === 'loaded') {
    const suspicious = result.suspicious.length > 0;
    log[suspicious ? 'warn' : 'info'](fields, line(describeLoaded(result)));
  }
  if (result.outcome === 'stale') log.info(fields, line('a newer response was decided on already'));
  if (result.outcome === 'held') log.warn(fields, line(describeHeld(account.name, day, result)));
  if (result.futureFetchedAt) log.warn(fields, line(describeFuture(result.futureFetchedAt)));
  logEndedCounts({ log }, { account: account.name, day }, result.endedCounts);
}

/** Logs which counts beside the campaigns are no longer compared with their number, once that is news. */
export function logEndedCounts(
  { log }: Pick<Run, 'log'>,
  { account, day }: Window,
  names: readonly string[],
): void {
  for (const name of names)
    log.warn(
      { account, day },
      `${account}: ${name} is not the number of campaigns listed: no longer compared`,
    );
}

/** Records a window that failed for good in the ledger, counts and logs it; not where its account was erased meanwhile. */
export async function reportFailedWindow(
  { warehouse, stats, log }: Pick<Run, 'warehouse' | 'stats' | 'log'>,
  { task: { account, day }, error }: FailedWindow,
): Promise<void> {
  if (!(await recordFailure(warehouse, { accountId: account.id, day }, error))) return;
  stats.windows.failed++;
  stats.failures.push(reportedError(error, { step: 'windows', account: account.name, day }));
  log.error(fieldsOfError(error, { account: account.name, day }), `${day} ${error.line}`);
}

const rowCounts = ['appeared', 'updated', 'withdrawn', 'restated', 'unchanged'] as const;

function count(stats: RunStats, { outcome, rejects, rows, healed, disagreeing }: WindowResult): void {
  if (outcome === 'skipped' || outcome === 'failed') return;
  if (outcome === 'stale') {
    stats.windows.stale++;
    return;
  }
  stats.rejects += rejects;
  if (outcome === 'unreadable') return;
  stats.windows[outcome]++;
  if (healed) stats.windows.healed++;
  if (disagreeing) stats.windows.disagreeing++;
  for (const name of rowCounts) stats.rows[name] += rows[name];
}

function describeLoaded({ healed, campaigns, rejects, rows, suspicious }: WindowResult): string {
  const counts = [
    { count: rows.appeared, what: 'new' },
    { count: rows.updated, what: 'changed' },
    { count: rows.withdrawn, what: 'withdrawn' },
    { count: rows.restated, what: 'restated' },
    { count: rejects, what: 'in quarantine' },
  ];
  const nonzero = counts.filter(({ count }) => count > 0).map(({ count, what }) => `, ${count} ${what}`);
  const doubts = suspicious.length > 0 ? `; suspicious: ${suspicious.join('; ')}` : '';
  return `${healed ? 'healed, ' : ''}${formatCountOf(campaigns, 'campaign')}${nonzero.join('')}${doubts}`;
}

function describeHeld(account: string, day: Day, { heldBecause }: WindowResult): string {
  const dryRun = asTyped('run', '--day', day, '--account', account, '--dry-run');
  return `the response is held back, for ${heldBecause}; to see what it would change: ${dryRun}`;
}

function describeFuture(fetchedAt: string): string {
  return `its last response was recorded as fetched at ${fetchedAt}, which is in the future: ignored. Check the clock of the database`;
}
