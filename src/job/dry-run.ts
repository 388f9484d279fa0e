import { acceptedFor, type IsAccepted } from '../model/anomaly.ts';
import { type Day, today } from '../model/day.ts';
import { type Failure, isOfAccount } from '../model/errors.ts';
import { type CampaignRecord, unreadableReason } from '../model/records.ts';
import type { CurrentDay, DayChange, LoadCandidate, Window } from '../model/window.ts';
import type { Service } from '../service/service.ts';
import type { Warehouse } from '../warehouse/db/database.ts';
import { readEntry } from '../warehouse/ledger/window-entry.ts';
import { readCurrentRows } from '../warehouse/load/campaign-days.ts';
import { compareClients } from '../warehouse/load/clients.ts';
import { type DueMail, planMail } from './digests/due.ts';
import { readDue, readFirstDays } from './digests/read-due.ts';
import type { NightlyRequest } from './nightly.ts';
import { findAccounts } from './run/accounts.ts';
import type { AppContext } from './run/app-context.ts';
import { requireSchema } from './run/database.ts';
import { readSigns, type Signs } from './run/signs.ts';
import { compareDay } from './windows/compare.ts';
import { decideLoad, toCandidate } from './windows/decide.ts';
import { setsFirstDay } from './windows/due.ts';
import { planWindows } from './windows/sync-windows.ts';

export type DryWindow = Extract<DryStep, { readonly step: 'window' }>;

/** A step that a run would do. */
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
      readonly outcome: 'apply' | 'hold' | 'ignore' | 'unreadable';
      /** The reason to hold or not load it, or why the day would be provisional; null if it would be confirmed. */
      readonly because: string | null;
      /** All that an answer without records says, if it is read as an empty list; else null. */
      readonly sign: string | null;
      /** The rows it would change; for a held response, once it is accepted. */
      readonly change: DayChange;
    }
  | { readonly step: 'digest'; readonly mail: DueMail }
  /** An error of an account, which doesn't end the dry run. */
  | { readonly step: 'failure'; readonly failure: Failure };

type DryRun = Pick<AppContext, 'warehouse' | 'config' | 'clock'> & {
  readonly service: Service;
  readonly signs: Signs;
  readonly runDate: Day;
};
type DryAccount = Awaited<ReturnType<typeof findAccounts>>[number];

/** Does the steps of a run without writing: fetches, reads the warehouse, and yields the differences. */
export async function* dryRun(
  app: AppContext,
  request: NightlyRequest,
  signal: AbortSignal,
): AsyncGenerator<DryStep, void> {
  await requireSchema(app.warehouse);
  await app.compareClocks(app.warehouse);
  const runDate = today(app.clock(), app.config.planning.timeZone);
  const signs = await readSigns(app.warehouse, app.config.service.baseUrl, runDate);
  const run = { ...app, service: app.connect(signal, null, { signs }), signs, runDate };
  const accounts = await findAccounts(app, request.accounts);
  const byName = new Map(accounts.map((account) => [account.name, account]));
  for (const account of accounts) yield await orFailure(() => dryWalk(run, account));
  const windows = await planWindows(run, accounts, request.days);
  const refused = new Set<string>();
  for (const window of windows) {
    if (refused.has(window.account)) continue;
    const step = await orFailure(() => dryWindow(run, byName.get(window.account)!, window));
    // Its other days would be refused, too.
    if (step.step === 'failure' && step.failure.code === 'TOKEN_REFUSED') refused.add(window.account);
    yield step;
  }
  if (!request.digest) return;
  const since = new Map(await readFirstDays(run.warehouse));
  // The run would set the first expected day.
  for (const { account, day } of windows)
    if (setsFirstDay(byName.get(account)!, request.days, app.clock())) since.set(account, day);
  // News and quiet days are read from loaded days, and a dry run loads nothing: it knows neither for the days that it fetched.
  for (const input of await readDue(run, runDate, windows, since)) {
    const mail = planMail(input);
    if (mail !== null) yield { step: 'digest', mail };
  }
}

async function orFailure(step: () => Promise<DryStep>): Promise<DryStep> {
  try {
    return await step();
  } catch (error) {
    if (isOfAccount(error)) return { step: 'failure', failure: error };
    throw error;
  }
}

async function dryWalk({ service, warehouse, config }: DryRun, account: DryAccount): Promise<DryStep> {
  const { pageLimit, balance } = config.service;
  let listed = 0;
  let appeared = 0;
  let changed = 0;
  let problem: string | null = null;
  for await (const item of service.walkClients(account, { limit: pageLimit, balance })) {
    if ('verdict' in item) {
      listed = item.ids.size;
      problem = item.reason;
      continue;
    }
    const changes = await compareClients(warehouse, account.id, item.records);
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

/** A day that was never attempted. */
const unknownDay: CurrentDay = {
  state: 'failed',
  isOver: true,
  contentHash: null,
  anomalies: [],
  sameSinceRunDate: null,
  isSettled: false,
  heldHash: null,
  hashOfDayBefore: null,
  rows: [],
  isReplayOfNewest: false,
};

/** Fetches a window, and returns what loading it would change. */
async function dryWindow(run: DryRun, account: DryAccount, { day }: Window): Promise<DryWindow> {
  using summary = await run.service.summarizeCampaigns(account, { from: day, to: day });
  const candidate = toCandidate(summary, {
    ...run.config.planning,
    day,
    runDate: run.runDate,
    accepted: false,
    now: run.clock(),
    timeZone: account.timeZone,
  });
  const window = { ...candidate, accountId: account.id };
  const unreadable = unreadableReason(summary);
  const isAccepted = acceptedFor(run.signs.accepted, account.name);
  return await previewWindow(run.warehouse, account.name, { window, unreadable }, isAccepted);
}

type PreviewedWindow = {
  /** An account without an id isn't in the warehouse yet. */
  readonly window: LoadCandidate & { readonly accountId: number | null };
  readonly unreadable: string | null;
};

/** Returns what loading a response would change. */
export async function previewWindow(
  warehouse: Warehouse,
  account: string,
  { window, unreadable }: PreviewedWindow,
  isAccepted: IsAccepted,
): Promise<DryWindow> {
  const { day, accountId, records, rejects, rejectCount } = window;
  const key = accountId === null ? null : { accountId, day };
  const entry = key && (await readEntry(warehouse, key));
  const before =
    entry === null ? unknownDay : { ...unknownDay, ...entry, rows: await readCurrentRows(warehouse, key!) };
  const decision = decideLoad(before, window, isAccepted);
  return {
    step: 'window',
    window: { account, day },
    before,
    records,
    rejects: rejectCount,
    outcome: unreadable === null ? decision.decision : 'unreadable',
    because: unreadable ?? (decision.decision === 'apply' ? decision.provisional : decision.because),
    sign: window.envelope.emptyBy,
    change: compareDay(before.rows, records, before.state === 'loaded', rejects),
  };
}
