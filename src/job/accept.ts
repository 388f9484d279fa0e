import type { Day } from '../model/day.ts';
import { heldAccounts } from '../warehouse/ledger/ledger.ts';
import { followCampaigns } from '../warehouse/load/campaigns.ts';
import type { AppContext } from './run/app-context.ts';
import { asOnlyRun, type RunReport } from './run/run.ts';
import { selectAccounts } from './run/select-accounts.ts';
import { localExecutor } from './windows/executor.ts';
import { syncAndReport } from './windows/sync-windows.ts';

export type AcceptRequest = {
  readonly command: string;
  readonly day: Day;
  /** Null for every account with a held answer. */
  readonly account: string | null;
};

/**
 * Applies the held answers of a day: each is asked for again, and applied if the service still says the same.
 * What it says by now instead is judged like any other answer.
 */
export async function accept(
  app: AppContext,
  request: AcceptRequest,
  signal: AbortSignal,
): Promise<RunReport> {
  return await asOnlyRun(app, { command: request.command, scheduledFor: null }, signal, async (run) => {
    const accounts = await selectAccounts(run, request.account === null ? null : [request.account]);
    const held = await heldAccounts(run.warehouse, request.day);
    const waiting = accounts.filter((account) => held.includes(account.name));
    if (waiting.length === 0) run.log.info(`no answer is held for ${request.day}`);
    const pull = syncAndReport(localExecutor);
    const asked = { day: request.day, accepted: true, missingOnly: false };
    for (const account of waiting) await pull(run, { account, ...asked });
    await followCampaigns(run.warehouse);
  });
}
