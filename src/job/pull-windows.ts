import { Failure, type FailureKind } from '../model/failure.ts';
import { mostlyUnreadable, type Reading } from '../model/records.ts';
import type { Window } from '../model/window.ts';
import { isOver } from '../planning/business-day.ts';
import { compareDay } from '../planning/compare-day.ts';
import { contentHash } from '../planning/content-hash.ts';
import { notUnderstood } from '../service/failures.ts';
import { eachConcurrently } from '../support/pool.ts';
import { quarantine } from '../warehouse/rejects.ts';
import { databaseClock } from '../warehouse/runs.ts';
import { loadWindow, noteFailure } from '../warehouse/windows.ts';
import type { Run } from './run.ts';
import type { KnownAccount } from './select-accounts.ts';
import { told } from './tally.ts';

/** What the service said may be another thing in a minute. */
const mayPass: ReadonlySet<FailureKind> = new Set(['service unavailable', 'answer not understood']);

type Pull = { readonly account: KnownAccount; readonly day: string };
type Missed = Pull & { readonly failure: Failure };

/** Pulls the windows; what failed in a way that may pass is tried once more at the end. */
export async function pullWindows(
  run: Run,
  accounts: readonly KnownAccount[],
  windows: readonly Window[],
): Promise<void> {
  const byName = new Map(accounts.map((account) => [account.name, account]));
  const pulls = windows.map(({ account, day }) => ({ account: byName.get(account)!, day }));
  const missed = await pullAll(run, pulls);
  const passing = missed.filter(({ failure }) => mayPass.has(failure.kind));
  const missedAgain = await pullAll(run, passing);
  for (const miss of [...missed.filter((miss) => !passing.includes(miss)), ...missedAgain])
    await noteMiss(run, miss);
}

async function pullAll(run: Run, pulls: readonly Pull[]): Promise<Missed[]> {
  const missed: Missed[] = [];
  await eachConcurrently(pulls, run.config.service.concurrency, run.signal, async (pull) => {
    try {
      await pullWindow(run, pull);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === 'warehouse unavailable') throw error;
      missed.push({ ...pull, failure: error });
    }
  });
  return missed;
}

/** One window: asked for, compared with what stands, loaded and entered in one transaction. */
async function pullWindow(run: Run, { account, day }: Pull): Promise<void> {
  const { warehouse, tally } = run;
  const fetchedAt = await databaseClock(warehouse);
  const provisional = !isOver(day, account.timeZone, run.clock());
  const reading = await run.service.summarizeCampaigns(account, { from: day, to: day });
  const { records, rejects } = reading;
  if (mostlyUnreadable(reading)) throw await refuseReading(run, { account, day }, reading);
  const change = await loadWindow(
    warehouse,
    {
      accountId: account.id,
      day,
      records,
      rejects,
      contentHash: contentHash(records),
      fetchedAt,
      provisional,
      runId: run.id,
      night: run.night,
    },
    compareDay,
  );
  if (change === 'stale') {
    tally.windows.stale++;
    run.log.info({ account: account.name, day }, `${day} ${account.name}: a newer answer stands already`);
    return;
  }
  tally.windows.loaded++;
  tally.rejects += rejects.length;
  tally.rows.appeared += change.appeared.length;
  tally.rows.updated += change.updated.length;
  tally.rows.withdrawn += change.withdrawn.length;
  tally.rows.restated += change.restatements.length;
  tally.rows.unchanged += change.unchanged;
  run.log.info(
    { account: account.name, day, campaigns: records.length, rejects: rejects.length },
    `${day} ${account.name}: ${records.length} campaigns, ${change.appeared.length} new, ` +
      `${change.updated.length} changed, ${change.withdrawn.length} withdrawn${provisional ? ', provisional' : ''}`,
  );
}

/** Over half can't be read: what stood stays, and the trace of what came is kept. */
async function refuseReading(
  run: Run,
  { account, day }: Pull,
  { records, rejects }: Reading<unknown>,
): Promise<Failure> {
  const source = { runId: run.id, accountId: account.id, operation: 'campaignSummary', day };
  await quarantine(run.warehouse, source, rejects);
  run.tally.rejects += rejects.length;
  const fault = `${rejects.length} of ${records.length + rejects.length} records can't be read`;
  return notUnderstood({ account: account.name, about: `campaigns of ${day}` }, fault);
}

async function noteMiss(run: Run, { account, day, failure }: Missed): Promise<void> {
  run.tally.windows.failed++;
  run.tally.failures.push(told(failure, account.name, day));
  await noteFailure(run.warehouse, { accountId: account.id, day }, failure.line);
  run.log.error({ account: account.name, day }, `${day} ${failure.line}`);
}
