import type { Day } from '../model/day.ts';
import type { OnNightProgress } from '../model/progress.ts';
import { alertOfRun, orAlertOfDeath } from './alert.ts';
import { deliverDigests } from './deliver-digests.ts';
import { makeDigests } from './make-digests.ts';
import { enterDigests } from './owed-digests.ts';
import type { Parts } from './parts.ts';
import { pinged } from './ping.ts';
import { planWindows } from './plan-windows.ts';
import { pruneArchive } from './prune-archive.ts';
import { pullWindows } from './pull-windows.ts';
import { asOnlyRun, type Run, type RunReport } from './run.ts';
import { selectAccounts } from './select-accounts.ts';
import { inStep, reporter } from './step.ts';
import { walkClientLists } from './walk-client-lists.ts';

export type NightlyRequest = {
  /** As it was typed, for `etl.runs`. */
  readonly command: string;
  /** Exactly these days, due or not; null for whatever is due. */
  readonly days: readonly Day[] | null;
  /** Names of accounts; null for all. */
  readonly accounts: readonly string[] | null;
  /** False waives the digests that this run would owe. */
  readonly digest: boolean;
  /** The slot of the schedule that it serves. */
  readonly slot: string | null;
};

/**
 * The nightly job: one pass from the service's pages to the managers' mail.
 * What fails for one account or day is told and doesn't stop the others. Mail can't be taken back, so it comes last.
 */
export async function nightly(
  parts: Parts,
  request: NightlyRequest,
  signal: AbortSignal,
  onProgress: OnNightProgress = () => {},
): Promise<RunReport> {
  // Whoever watches over the nights is told of nights: not of single days that somebody repeats.
  const wholeNight = request.days === null && request.accounts === null;
  const work = (began: (run: Run) => void) =>
    asOnlyRun(parts, request, signal, async (begun) => {
      const run = { ...begun, report: reporter(onProgress) };
      began(run);
      const accounts = await selectAccounts(run, request.accounts);
      await enterDigests(run);
      await inStep(run, 'clients', () => walkClientLists(run, accounts));
      const windows = await inStep(run, 'windows', async () => {
        const planned = await planWindows(run, accounts, request.days);
        await pullWindows(run, accounts, planned);
        return planned;
      });
      await inStep(run, 'digests', () => makeDigests(run, windows, request.digest));
      await inStep(run, 'mail', () => deliverDigests(run));
      await pruneArchive(run);
      await alertOfRun(run, wholeNight);
    });
  const told = () => orAlertOfDeath(parts, signal, work);
  return wholeNight ? await pinged(parts.ping, told) : await told();
}
