import type { Day } from '../model/day.ts';
import { readUnconfirmed } from '../warehouse/ledger/ledger.ts';
import { refreshCampaigns } from '../warehouse/load/campaigns.ts';
import { type DryWindow, dryWindow } from './dry-run.ts';
import { selectAccounts } from './run/accounts.ts';
import type { AppContext } from './run/app-context.ts';
import { asOnlyRun, type RunReport, type RunRequest } from './run/run.ts';
import { syncWindow } from './windows/sync-window.ts';

export type AcceptRequest = RunRequest & {
  readonly days: readonly Day[];
  /** Null for every account. */
  readonly accounts: readonly string[] | null;
};

/**
 * Applies what is held of these days, and confirms what is provisional: each window is fetched again, and accepted if the
 * response is still the same. A different one is decided on like any other. An error ends the command: whoever accepts a
 * response waits for it.
 *
 * @param show gets what would change, of all windows before any is applied
 */
export async function accept(
  app: AppContext,
  { days, accounts: names, ...request }: AcceptRequest,
  signal: AbortSignal,
  show: (window: DryWindow) => void,
): Promise<RunReport> {
  return await asOnlyRun(app, { ...request, kind: 'accept' }, signal, async (run) => {
    const accounts = new Map((await selectAccounts(run, names)).map((account) => [account.name, account]));
    const unconfirmed = (await readUnconfirmed(run.warehouse, days)).filter(({ account }) =>
      accounts.has(account),
    );
    if (unconfirmed.length === 0) run.log.info('nothing to accept: no day there is held or provisional');
    for (const window of unconfirmed) show(await dryWindow(run, accounts.get(window.account)!, window, true));
    for (const { account, day } of unconfirmed) {
      const failure = await syncWindow(run, {
        account: accounts.get(account)!,
        day,
        accepted: true,
        missingOnly: false,
      });
      if (failure !== null) throw failure;
    }
    await refreshCampaigns(run.warehouse);
  });
}
