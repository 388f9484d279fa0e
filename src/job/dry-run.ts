import type { Day } from '../model/day.ts';
import type { CampaignRecord } from '../model/records.ts';
import type { CurrentDay, LoadDecision, Window } from '../model/window.ts';
import { today } from '../planning/business-day.ts';
import type { DueDigest } from '../planning/digests-due.ts';
import type { Service } from '../service/service.ts';
import { readAccounts } from '../warehouse/ledger/accounts.ts';
import { compareClients } from '../warehouse/load/clients.ts';
import { readCurrentDay } from '../warehouse/load/windows.ts';
import { dueDigests } from './digests/due-digests.ts';
import type { NightlyRequest } from './nightly.ts';
import type { AppContext } from './run/app-context.ts';
import { requireSchema } from './run/database.ts';
import { decideWindow, fetchWindow } from './windows/fetch-window.ts';
import { planWindows } from './windows/plan-windows.ts';

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
      readonly decision: LoadDecision | { readonly decision: 'unreadable'; readonly because: string };
    }
  | { readonly step: 'digest'; readonly due: DueDigest };

type DryAccount = AppContext['config']['accounts'][number] & {
  readonly id: number | null;
  readonly since: Day | null;
};

/** Does what a run does, without writing: fetches, reads the warehouse, and yields the differences. */
export async function* dryRun(
  app: AppContext,
  request: NightlyRequest,
  signal: AbortSignal,
): AsyncGenerator<DryStep, void> {
  await requireSchema(app.warehouse);
  const dryApp = {
    ...app,
    service: app.connect(signal),
    runDate: today(app.clock(), app.config.planning.timeZone),
  };
  const rows = new Map((await readAccounts(app.warehouse)).map((row) => [row.name, row]));
  const accounts: DryAccount[] = app.config.accounts
    .filter((account) => request.accounts === null || request.accounts.includes(account.name))
    .map((account) => ({
      ...account,
      id: rows.get(account.name)?.id ?? null,
      since: rows.get(account.name)?.since ?? null,
    }));
  for (const account of accounts) yield await dryWalk(dryApp, account);
  const windows = await planWindows(dryApp, accounts, request.days);
  for (const window of windows) {
    const account = accounts.find((each) => each.name === window.account)!;
    yield await dryWindow(dryApp, account, window);
  }
  if (!request.digest) return;
  for (const due of (await dueDigests(app, dryApp.runDate, windows)).due) yield { step: 'digest', due };
}

type DryApp = AppContext & { readonly service: Service; readonly runDate: Day };

async function dryWalk(app: DryApp, account: DryAccount): Promise<DryStep> {
  const { pageLimit, balance } = app.config.service;
  const nothing = { listed: 0, appeared: 0, changed: 0 };
  let counts = nothing;
  let problem: string | null = null;
  for await (const item of app.service.walkClients(account, { limit: pageLimit, balance })) {
    if (item.type === 'restart') counts = nothing;
    if (item.type === 'end') problem = item.problem;
    if (item.type !== 'page') continue;
    const { records } = item.page;
    const { appeared, changed } = await compareClients(app.warehouse, account.id, records);
    counts = {
      listed: counts.listed + records.length,
      appeared: counts.appeared + appeared,
      changed: counts.changed + changed,
    };
  }
  return {
    step: 'clients',
    account: account.name,
    ...counts,
    problem,
  };
}

async function dryWindow(app: DryApp, account: DryAccount, window: Window): Promise<DryStep> {
  const fetched = await fetchWindow(app, { account, day: window.day });
  const before = await readCurrentDay(app.warehouse, account.id, window.day);
  const decision =
    fetched.unreadable === null
      ? decideWindow(fetched, before, { runDate: app.runDate, accepted: false })
      : ({ decision: 'unreadable', because: fetched.unreadable } as const);
  return {
    step: 'window',
    window,
    before,
    records: fetched.records,
    rejects: fetched.rejects.length,
    decision,
  };
}
