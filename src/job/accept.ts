import type { Day } from '../model/day.ts';
import { heldAccounts } from '../warehouse/ledger/ledger.ts';
import { followCampaigns } from '../warehouse/load/campaigns.ts';
import type { AppContext } from './run/app-context.ts';
import { asOnlyRun, type Run, type RunReport } from './run/run.ts';
import { type KnownAccount, selectAccounts } from './run/select-accounts.ts';
import { reportResult } from './windows/report-result.ts';
import { syncWindow } from './windows/sync-window.ts';

export type AcceptRequest = {
  readonly command: string;
  readonly day: Day;
  /** Null for every account with a held response. */
  readonly account: string | null;
};

/**
 * Applies the held responses of a day: each window is fetched again, and applied if the response is still the same.
 * A different one is decided on like any other.
 */
export async function accept(
  app: AppContext,
  request: AcceptRequest,
  signal: AbortSignal,
): Promise<RunReport> {
  const start = { kind: 'accept', command: request.command, scheduledFor: null } as const;
  return await asOnlyRun(app, start, signal, async (run) => {
    const accounts = await selectAccounts(run, request.account === null ? null : [request.account]);
    const held = await heldAccounts(run.warehouse, request.day);
    const accepted = accounts.filter((account) => held.includes(account.name));
    if (accepted.length === 0) run.log.info(`no response is held for ${request.day}`);
    for (const account of accepted) await syncAccepted(run, account, request.day);
    await followCampaigns(run.warehouse);
  });
}

/** Its error ends the command: whoever accepts a response waits for the outcome. */
async function syncAccepted(run: Run, account: KnownAccount, day: Day): Promise<void> {
  const task = {
    account,
    day,
    accepted: true,
    missingOnly: false,
  };
  const result = await syncWindow(run, task);
  reportResult(run, task, result);
  if (result.error !== null) throw result.error;
}
