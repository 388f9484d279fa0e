import type { Day } from '../model/day.ts';
import type { StandingDay, Verdict } from '../model/day-change.ts';
import type { CampaignRecord } from '../model/records.ts';
import type { Window } from '../model/window.ts';
import { addDays, today } from '../planning/business-day.ts';
import { contentHash } from '../planning/content-hash.ts';
import type { OwedDigest } from '../planning/digests-owed.ts';
import { judgeAnswer } from '../planning/judge-answer.ts';
import { windowsAsked, windowsDue } from '../planning/windows-due.ts';
import type { Service } from '../service/client.ts';
import { readAccounts } from '../warehouse/ledger/accounts.ts';
import { readLedger } from '../warehouse/ledger/ledger.ts';
import { compareClients } from '../warehouse/load/clients.ts';
import { readStandingDay } from '../warehouse/load/windows.ts';
import { owedDigests } from './digests/owed-digests.ts';
import type { NightlyRequest } from './nightly.ts';
import { requireSchema } from './run/database.ts';
import type { Parts } from './run/parts.ts';

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
      readonly before: StandingDay;
      readonly records: readonly CampaignRecord[];
      readonly rejects: number;
      readonly verdict: Verdict;
    }
  | { readonly step: 'digest'; readonly owed: OwedDigest };

type DryAccount = Parts['config']['accounts'][number] & {
  readonly id: number | null;
  readonly since: Day | null;
};

/** Does all that a run does but write: asks the service, reads the warehouse, and yields the differences. */
export async function* dryRun(
  parts: Parts,
  request: NightlyRequest,
  signal: AbortSignal,
): AsyncGenerator<DryStep, void> {
  await requireSchema(parts.warehouse);
  const service = parts.connect(signal);
  const rows = new Map((await readAccounts(parts.warehouse)).map((row) => [row.name, row]));
  const accounts: DryAccount[] = parts.config.accounts
    .filter((account) => request.accounts === null || request.accounts.includes(account.name))
    .map((account) => ({
      ...account,
      id: rows.get(account.name)?.id ?? null,
      since: rows.get(account.name)?.since ?? null,
    }));
  for (const account of accounts) yield await dryWalk(parts, service, account);
  const windows = await dryPlan(parts, accounts, request.days);
  for (const window of windows) {
    const account = accounts.find((each) => each.name === window.account)!;
    yield await dryPull(parts, service, account, window);
  }
  const night = today(parts.clock(), parts.config.planning.timeZone);
  if (request.digest)
    for (const owed of (await owedDigests(parts, night, windows)).owed) yield { step: 'digest', owed };
}

async function dryWalk(parts: Parts, service: Service, account: DryAccount): Promise<DryStep> {
  const { pageLimit, balance } = parts.config.service;
  const walk = service.walkClients(account, { limit: pageLimit, balance });
  let count = { listed: 0, appeared: 0, changed: 0 };
  let step = await walk.next();
  for (; !step.done; step = await walk.next()) {
    if (step.value.first) count = { listed: 0, appeared: 0, changed: 0 };
    const { appeared, changed } = await compareClients(parts.warehouse, account.id, step.value.records);
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
  parts: Parts,
  accounts: readonly DryAccount[],
  days: readonly Day[] | null,
): Promise<Window[]> {
  if (days !== null) return windowsAsked(accounts, days);
  const { timeZone, lookbackDays, catchUpDays } = parts.config.planning;
  const now = parts.clock();
  const night = today(now, timeZone);
  const ledger = await readLedger(parts.warehouse, addDays(night, -catchUpDays - 1));
  return windowsDue({ accounts, ledger, now, night, lookbackDays, catchUpDays });
}

async function dryPull(
  parts: Parts,
  service: Service,
  account: DryAccount,
  window: Window,
): Promise<DryStep> {
  const { records, rejects } = await service.summarizeCampaigns(account, {
    from: window.day,
    to: window.day,
  });
  const before = await readStandingDay(parts.warehouse, account.id, window.day);
  const night = today(parts.clock(), parts.config.planning.timeZone);
  const verdict = judgeAnswer(before, {
    records,
    rejects,
    contentHash: contentHash(records),
    night,
    accepted: false,
  });
  return { step: 'window', window, before, records, rejects: rejects.length, verdict };
}
