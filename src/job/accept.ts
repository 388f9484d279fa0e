import type { Day } from '../model/day.ts';
import { heldAccounts } from '../warehouse/ledger/ledger.ts';
import { selectAccounts } from './run/accounts.ts';
import type { AppContext } from './run/app-context.ts';
import { asOnlyRun, type RunReport, type RunRequest } from './run/run.ts';
import { reportResult, syncWindow } from './windows/sync-window.ts';

export type AcceptRequest = RunRequest & {
  readonly day: Day;
  /** Null for every account with a held response. */
  readonly account: string | null;
};

/**
 * Applies the held responses of a day: each window is fetched again, and applied if the response is still the same.
 * A different one is decided on like any other. An error ends the command: whoever accepts a response waits for it.
 */
export async function accept(
  app: AppContext,
  request: AcceptRequest,
  signal: AbortSignal,
): Promise<RunReport> {
  const { day, account } = request;
  return await asOnlyRun(app, { ...request, kind: 'accept' }, signal, async (run) => {
    const accounts = await selectAccounts(run, account === null ? null : [account]);
    const held = await heldAccounts(run.warehouse, day);
    const accepted = accounts.filter(({ name }) => held.includes(name));
    if (accepted.length === 0) run.log.info(`no response is held for ${day}`);
    for (const each of accepted) {
      const task = {
        account: each,
        day,
        accepted: true,
        missingOnly: false,
      };
      const result = await syncWindow(run, task);
      reportResult(run, task, result);
      if (result.outcome === 'failed') throw result.error;
    }
  });
}
