import { isSharedOnPurpose } from '../model/anomaly.ts';
import type { Day } from '../model/day.ts';
import { formatCountOf } from '../support/english.ts';
import { readUnconfirmed } from '../warehouse/ledger/ledger.ts';
import { refreshCampaigns } from '../warehouse/load/campaigns.ts';
import { readAlikeDays, readSharedOnPurpose } from '../warehouse/load/marks.ts';
import { type DryWindow, dryWindow } from './dry-run.ts';
import { selectAccounts } from './run/accounts.ts';
import type { AppContext } from './run/app-context.ts';
import { type Run, type RunReport, type RunRequest, withRunLock } from './run/run.ts';
import { syncWindow } from './windows/sync-window.ts';

export type AcceptRequest = RunRequest & {
  readonly days: readonly Day[];
  /** Null for every account. */
  readonly accounts: readonly string[] | null;
};

export type AcceptOutput = {
  /** Gets what would change, of each window before any is applied. */
  readonly show: (window: DryWindow) => void;
  /** Resolves to whether to apply it. */
  readonly confirm: () => Promise<boolean>;
};

/**
 * Fetches each held or provisional day again. Confirmed figures are replaced only by the response that was held; a provisional
 * day is confirmed with whatever the service returns now. An error ends the command: whoever accepts a response waits for it.
 * Days with the same campaigns as another account are left out until that alert is dismissed: the figures may belong to the other.
 */
export async function accept(
  app: AppContext,
  { days, accounts: names, ...request }: AcceptRequest,
  signal: AbortSignal,
  { show, confirm }: AcceptOutput,
): Promise<RunReport> {
  return await withRunLock(app, { ...request, kind: 'accept' }, signal, async (run) => {
    const accounts = new Map((await selectAccounts(run, names)).map((account) => [account.name, account]));
    const shared = await readShared(run, days);
    const all = (await readUnconfirmed(run.warehouse, days)).filter(({ account }) => accounts.has(account));
    const unconfirmed = all.filter(({ account, day }) => !shared.has(`${account} ${day}`));
    if (all.length === 0) run.log.info('nothing to accept: none of these days is held or provisional');
    if (unconfirmed.length < all.length)
      run.log.warn(
        `${formatCountOf(all.length - unconfirmed.length, 'day')} left out: another account has the same campaigns; status shows what to do`,
      );
    for (const window of unconfirmed) show(await dryWindow(run, accounts.get(window.account)!, window, true));
    if (unconfirmed.length > 0 && !(await confirm())) {
      run.log.info('nothing was applied');
      return;
    }
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

/** The days that an account has in common with others, not on purpose: `north 2026-11-20`. */
async function readShared({ warehouse }: Run, days: readonly Day[]): Promise<ReadonlySet<string>> {
  const onPurpose = await readSharedOnPurpose(warehouse);
  const alike = await readAlikeDays(warehouse, days[0]!, days.at(-1)!);
  return new Set(
    alike
      .filter(({ name, others }) => others.length > 0 && !isSharedOnPurpose([name, ...others], onPurpose))
      .map(({ name, day }) => `${name} ${day}`),
  );
}
