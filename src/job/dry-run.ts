import type { Day } from '../model/day.ts';
import type { CurrentDay, LoadDecision } from '../model/day-change.ts';
import type { CampaignRecord } from '../model/records.ts';
import type { Window } from '../model/window.ts';
import { addDays, today } from '../planning/business-day.ts';
import { contentHash } from '../planning/content-hash.ts';
import { decideLoad } from '../planning/decide-load.ts';
import type { DueDigest } from '../planning/digests-due.ts';
import { windowsAsked, windowsDue } from '../planning/windows-due.ts';
import type { Service } from '../service/client.ts';
import { readAccounts } from '../warehouse/ledger/accounts.ts';
import { readLedger } from '../warehouse/ledger/ledger.ts';
import { compareClients } from '../warehouse/load/clients.ts';
import { readCurrentDay } from '../warehouse/load/windows.ts';
import { dueDigests } from './digests/due-digests.ts';
import type { NightlyRequest } from './nightly.ts';
import type { AppContext } from './run/app-context.ts';
import { requireSchema } from './run/database.ts';

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
      readonly verdict: LoadDecision;
    }
  | { readonly step: 'digest'; readonly due: DueDigest };

type DryAccount = AppContext['config']['accounts'][number] & {
  readonly id: number | null;
  readonly since: Day | null;
};

/** Does all that a run does but write: asks the service, reads the warehouse, and yields the differences. */
export async function* dryRun(
  app: AppContext,
  request: NightlyRequest,
  signal: AbortSignal,
): AsyncGenerator<DryStep, void> {
  await requireSchema(app.warehouse);
  const service = app.connect(signal);
  const rows = new Map((await readAccounts(app.warehouse)).map((row) => [row.name, row]));
  const accounts: DryAccount[] = app.config.accounts
    .filter((account) => request.accounts === null || request.accounts.includes(account.name))
    .map((account) => ({
      ...account,
      id: rows.get(account.name)?.id ?? null,
      since: rows.get(account.name)?.since ?? null,
    }));
  for (const account of accounts) yield await dryWalk(app, service, account);
  const windows = await dryPlan(app, accounts, request.days);
  for (const window of windows) {
    const account = accounts.find((each) => each.name === window.account)!;
    yield await drySync(app, service, account, window);
  }
  const runDate = today(app.clock(), app.config.planning.timeZone);
  if (request.digest)
    for (const due of (await dueDigests(app, runDate, windows)).due) yield { step: 'digest', due };
}

async function dryWalk(app: AppContext, service: Service, account: DryAccount): Promise<DryStep> {
  const { pageLimit, balance } = app.config.service;
  const walk = service.walkClients(account, { limit: pageLimit, balance });
  let count = { listed: 0, appeared: 0, changed: 0 };
  let step = await walk.next();
  for (; !step.done; step = await walk.next()) {
    if (step.value.first) count = { listed: 0, appeared: 0, changed: 0 };
    const { appeared, changed } = await compareClients(app.warehouse, account.id, step.value.records);
    count.listed += step.value.records.length;
    count.appeared += appeared;
    count.changed += changed;
  }
  return {
    step: 'clients',
    account: account.name,
    ...count,
    problem: step.value.complete ? null : step.value.problem,
  };
}

async function dryPlan(
  app: AppContext,
  accounts: readonly DryAccount[],
  days: readonly Day[] | null,
): Promise<Window[]> {
  if (days !== null) return windowsAsked(accounts, days);
  const { timeZone, lookbackDays, catchUpDays } = app.config.planning;
  const now = app.clock();
  const runDate = today(now, timeZone);
  const ledger = await readLedger(app.warehouse, addDays(runDate, -catchUpDays - 1));
  return windowsDue({ accounts, ledger, now, runDate, lookbackDays, catchUpDays });
}

async function drySync(
  app: AppContext,
  service: Service,
  account: DryAccount,
  window: Window,
): Promise<DryStep> {
  const { records, rejects } = await service.summarizeCampaigns(account, {
    from: window.day,
    to: window.day,
  });
  const before = await readCurrentDay(app.warehouse, account.id, window.day);
  const runDate = today(app.clock(), app.config.planning.timeZone);
  const verdict = decideLoad(before, {
    records,
    rejects,
    contentHash: contentHash(records),
    runDate,
    accepted: false,
  });
  return { step: 'window', window, before, records, rejects: rejects.length, verdict };
}
