import { acceptedFor } from '../model/anomaly.ts';
import type { Day } from '../model/day.ts';
import { Failure } from '../model/errors.ts';
import { windowSubject } from '../model/window.ts';
import { readUnconfirmed } from '../warehouse/ledger/ledger.ts';
import { refreshCampaigns } from '../warehouse/load/campaigns.ts';
import { type DryWindow, previewWindow } from './dry-run.ts';
import { selectAccounts } from './run/accounts.ts';
import type { AppContext } from './run/app-context.ts';
import { type Run, type RunReport, type RunRequest, withoutRunLock } from './run/run.ts';
import { loadWindow } from './windows/load-window.ts';
import { reviewDays } from './windows/review-days.ts';
import { countLoaded, type RequestedWindow, requestWindow } from './windows/sync-window.ts';

export type AcceptRequest = RunRequest & {
  readonly days: readonly Day[];
  /** Null for every account. */
  readonly accounts: readonly string[] | null;
};

/**
 * Requests each day that is held, provisional or without an answer that the document shows, shows what the response would change,
 * and applies that response, or nothing: it is never requested again. The question may stand for an hour, without the run lock; a
 * day for which something newer was loaded meanwhile keeps that. An error ends the command.
 *
 * @param show gets what would change, of each window before any is applied
 * @param confirm resolves to whether to apply it
 */
export async function accept(
  app: AppContext,
  { days, accounts: names, ...request }: AcceptRequest,
  signal: AbortSignal,
  show: (window: DryWindow) => void,
  confirm: () => Promise<boolean>,
): Promise<RunReport> {
  return await withoutRunLock(app, { ...request, kind: 'accept' }, signal, async (begun) => {
    // Whoever accepts a day decides what an answer without records means.
    const signs = { ...begun.signs, isAccepted: () => true };
    const run = { ...begun, service: app.connect(signal, begun.id, { signs }) };
    const accounts = new Map((await selectAccounts(run, names)).map((account) => [account.name, account]));
    const unconfirmed = (await readUnconfirmed(run.warehouse, days)).filter(({ account }) =>
      accounts.has(account),
    );
    if (unconfirmed.length === 0) {
      run.log.info('nothing to accept: none of these days is held or provisional, or waits for a decision');
      return;
    }
    using responses = new DisposableStack();
    const shown: RequestedWindow[] = [];
    for (const { account, day } of unconfirmed) {
      const requested = responses.use(await requestWindow(run, accounts.get(account)!, day, true));
      show(await previewWindow(run.warehouse, account, requested, () => false));
      if (requested.unreadable !== null)
        throw new Failure('INVALID_RESPONSE', `invalid response (${requested.unreadable})`, {
          subject: windowSubject(account, day),
        });
      shown.push(requested);
    }
    if (!(await confirm())) {
      run.log.info('nothing was applied');
      return;
    }
    for (const [index, requested] of shown.entries())
      await apply(run, unconfirmed[index]!.account, requested);
    await reviewDays(
      run,
      shown.map(({ window }) => window),
    );
    await refreshCampaigns(run.warehouse);
  });
}

async function apply(run: Run, account: string, { window }: RequestedWindow): Promise<void> {
  const loaded = await loadWindow(run.warehouse, window, false, acceptedFor(run.signs.accepted, account));
  countLoaded(run, account, window, loaded, false);
  if (loaded.decision === 'stale')
    run.log.warn(
      { account, day: window.day },
      `${windowSubject(account, window.day)}: something newer was loaded meanwhile, and stays`,
    );
}
