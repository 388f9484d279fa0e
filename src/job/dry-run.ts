import type { CampaignRecord } from '../model/records.ts';
import type { CurrentDay, Window, WindowDecision } from '../model/window.ts';
import { today } from '../planning/business-day.ts';
import { decideWindow } from '../planning/decide-load.ts';
import type { DueDigest } from '../planning/digests-due.ts';
import { readCountHistory } from '../warehouse/ledger/count-history.ts';
import { compareClients } from '../warehouse/load/clients.ts';
import { readCurrentDay } from '../warehouse/load/windows.ts';
import { dueDigests, openDigests } from './digests/due-digests.ts';
import type { NightlyRequest } from './nightly.ts';
import { findAccounts } from './run/accounts.ts';
import type { AppContext } from './run/app-context.ts';
import { requireSchema } from './run/database.ts';
import type { Run } from './run/run.ts';
import { planWindows } from './windows/nightly-windows.ts';
import { type FetchedWindow, fetchWindow } from './windows/sync-window.ts';

/** What a run would do, step by step. */
export type DryStep =
  | {
      readonly step: 'clients';
      readonly account: string;
      readonly listed: number;
      readonly appeared: number;
      readonly changed: number;
      readonly problem: string | null;
    }
  | {
      readonly step: 'window';
      readonly window: Window;
      readonly before: CurrentDay;
      readonly records: readonly CampaignRecord[];
      readonly rejects: number;
      readonly decision:
        | WindowDecision['load']
        | { readonly decision: 'unreadable'; readonly because: string };
    }
  | { readonly step: 'digest'; readonly due: DueDigest };

type DryRun = AppContext & Pick<Run, 'service' | 'runDate'>;
type DryAccount = Awaited<ReturnType<typeof findAccounts>>[number];

/** Does what a run does, without writing: fetches, reads the warehouse, and yields the differences. */
export async function* dryRun(
  app: AppContext,
  request: NightlyRequest,
  signal: AbortSignal,
): AsyncGenerator<DryStep, void> {
  await requireSchema(app.warehouse);
  const runDate = today(app.clock(), app.config.planning.timeZone);
  const run = { ...app, service: app.connect(signal, null), runDate };
  const accounts = await findAccounts(app, request.accounts);
  const byName = new Map(accounts.map((account) => [account.name, account]));
  for (const account of accounts) yield await dryWalk(run, account);
  const windows = await planWindows(run, accounts, request.days);
  for (const window of windows) yield await dryWindow(run, byName.get(window.account)!, window);
  if (!request.digest) return;
  // An undated run would begin to expect days of its accounts.
  const { due: digests } = await (request.days === null ? openDigests : dueDigests)(run, runDate, windows);
  for (const due of digests) yield { step: 'digest', due };
}

async function dryWalk({ service, warehouse, config }: DryRun, account: DryAccount): Promise<DryStep> {
  const { pageLimit, balance } = config.service;
  let listed = 0;
  let appeared = 0;
  let changed = 0;
  let problem: string | null = null;
  for await (const item of service.walkClients(account, { limit: pageLimit, balance })) {
    if (item.type === 'restart') listed = appeared = changed = 0;
    if (item.type === 'end') problem = item.problem;
    if (item.type !== 'page') continue;
    const changes = await compareClients(warehouse, account.id, item.page.records);
    listed += item.page.records.length;
    appeared += changes.appeared;
    changed += changes.changed;
  }
  return {
    step: 'clients',
    account: account.name,
    listed,
    appeared,
    changed,
    problem,
  };
}

async function dryWindow(run: DryRun, account: DryAccount, window: Window): Promise<DryStep> {
  const fetched = await fetchWindow(run, { account, day: window.day });
  const before = await readCurrentDay(run.warehouse, account.id, window.day);
  return {
    step: 'window',
    window,
    before,
    records: fetched.records,
    rejects: fetched.rejectCount,
    decision:
      fetched.unreadable === null
        ? await decided(run, account, window, fetched, before)
        : { decision: 'unreadable', because: fetched.unreadable },
  };
}

async function decided(
  { warehouse, runDate }: DryRun,
  { id }: DryAccount,
  { day }: Window,
  fetched: FetchedWindow,
  before: CurrentDay,
): Promise<WindowDecision['load']> {
  const history =
    id === null ? [] : await readCountHistory(warehouse, { accountId: id, day, runDate }, fetched.envelope);
  const response = { ...fetched, ...fetched.envelope, runDate, accepted: false };
  return decideWindow(before, response, history, true).load;
}
