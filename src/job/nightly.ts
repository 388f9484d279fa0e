import type { Day } from '../model/day.ts';
import type { OnNightProgress } from '../model/progress.ts';
import { followCampaigns } from '../warehouse/load/campaigns.ts';
import { alertOfDeath, alertOfRun } from './alerts/alert.ts';
import { pinged } from './alerts/ping.ts';
import { walkClientLists } from './clients/walk-client-lists.ts';
import { deliverDigests } from './digests/deliver-digests.ts';
import { makeDigests } from './digests/make-digests.ts';
import { enterDigests } from './digests/owed-digests.ts';
import type { Parts } from './run/parts.ts';
import { pruneArchive } from './run/prune-archive.ts';
import { asOnlyRun, type RunReport } from './run/run.ts';
import { selectAccounts } from './run/select-accounts.ts';
import { inStep, reporter } from './run/step.ts';
import type { Tally } from './run/tally.ts';
import { planWindows } from './windows/plan-windows.ts';
import { pullWindows } from './windows/pull-windows.ts';
import { type Pulling, pullingHere } from './windows/pulling.ts';

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
  pulling: Pulling = pullingHere,
): Promise<RunReport> {
  const work = () => pass(parts, request, signal, onProgress, pulling);
  // Whoever watches over the nights is told of nights: not of single days that somebody repeats.
  return isWhole(request) ? await pinged(parts.ping, work) : await work();
}

const isWhole = ({ days, accounts }: NightlyRequest) => days === null && accounts === null;

async function pass(
  parts: Parts,
  request: NightlyRequest,
  signal: AbortSignal,
  onProgress: OnNightProgress,
  pulling: Pulling,
): Promise<RunReport> {
  let alerts: Tally['alerts'] | undefined;
  try {
    return await asOnlyRun(parts, request, signal, async (begun) => {
      alerts = begun.tally.alerts;
      const run = { ...begun, report: reporter(onProgress) };
      const accounts = await selectAccounts(run, request.accounts);
      await enterDigests(run);
      await inStep(run, 'clients', () => walkClientLists(run, accounts));
      const windows = await inStep(run, 'windows', async () => {
        const planned = await planWindows(run, accounts, request.days);
        await pullWindows(run, accounts, planned, pulling);
        await followCampaigns(run.warehouse);
        return planned;
      });
      await inStep(run, 'digests', () => makeDigests(run, windows, request.digest));
      await inStep(run, 'mail', () => deliverDigests(run));
      await inStep(run, 'archive', () => pruneArchive(run));
      await inStep(run, 'alerts', () => alertOfRun(run, isWhole(request)));
    });
  } catch (error) {
    if (!alerts?.sent) await alertOfDeath(parts, error, signal);
    throw error;
  }
}
