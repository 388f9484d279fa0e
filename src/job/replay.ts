import type { Day } from '../model/day.ts';
import { isUnreadable } from '../model/records.ts';
import type { CurrentRow, LoadCandidate, LoadDecision } from '../model/window.ts';
import { parseArchived } from '../service/response/parse-response.ts';
import { campaignSummarySchema, clientListSchema } from '../service/response/schema.ts';
import { eachConcurrently } from '../support/concurrency.ts';
import {
  type ArchivedWalk,
  archivedWindows,
  type FollowedResponse,
  readFollowed,
  readLoads,
  readWalks,
  walkedAccounts,
} from '../warehouse/archive/read-archive.ts';
import type { Transaction, Warehouse } from '../warehouse/db/database.ts';
import { recordedTime } from '../warehouse/db/expressions.ts';
import { inTransaction } from '../warehouse/db/transaction.ts';
import { lockEntry, type WindowKey } from '../warehouse/ledger/window-entry.ts';
import { readCurrentRows } from '../warehouse/load/campaign-days.ts';
import { applyCompleteWalk } from '../warehouse/load/client-walks.ts';
import { clearClients, newestOfEach, upsertClients } from '../warehouse/load/clients.ts';
import { replaceRejects } from '../warehouse/load/rejects.ts';
import { clearWindow, followDecision, restoreFailure } from '../warehouse/load/windows.ts';
import type { AppContext } from './run/app-context.ts';
import { asOnlyRun, type Run, type RunReport, type RunRequest } from './run/run.ts';
import { compareDay } from './windows/compare.ts';
import { contentHash, heldReason } from './windows/decide.ts';
import { provisionalReason } from './windows/describe-anomaly.ts';
import { markSameCampaigns } from './windows/mark-same-campaigns.ts';

/** Days to replay or to reread, both included. */
export type DayRange = { readonly from: Day; readonly to: Day };

export type ReplayRequest = RunRequest & DayRange;

/**
 * Rebuilds the warehouse from the archive, without the service: each window of the days, and the clients of
 * accounts whose walks all lie within them. It follows the archived load decisions, and every row gets its old
 * timestamps. A window or an account with an incomplete archive stays as it is.
 */
export async function replay(
  app: AppContext,
  request: ReplayRequest,
  signal: AbortSignal,
): Promise<RunReport> {
  return await asOnlyRun(app, { ...request, kind: 'replay' }, signal, async (run) => {
    await replayWindows(run, request);
    await replayClients(run, request);
  });
}

async function replayWindows(run: Run, range: DayRange): Promise<void> {
  const { warehouse, config, log, signal, stats } = run;
  const windows = await archivedWindows(warehouse, range);
  const whole = windows.filter((window) => window.whole);
  for (const { account, day } of windows.filter((window) => !window.whole))
    log.warn({ account, day }, `${day} ${account}: not all of its responses are archived: it stays as it is`);
  let done = 0;
  await eachConcurrently(whole, config.service.concurrency, signal, async (window) => {
    await rebuildWindow(warehouse, window);
    stats.windows.loaded++;
    run.onProgress({ unit: 'window', done: ++done, total: whole.length, failed: 0 });
  });
  await markSameCampaigns(
    run,
    whole.map(({ day }) => day),
  );
}

/** Rebuilds a window in one transaction: its rows, restatements, sums and ledger row. Its last failure stays. */
async function rebuildWindow(warehouse: Warehouse, window: WindowKey): Promise<void> {
  await inTransaction(warehouse, async (transaction) => {
    await lockEntry(transaction, { ...window, fetchedAt: '-infinity' });
    const responses = await readFollowed(transaction, window);
    const failure = await clearWindow(transaction, window);
    let isFinal = false;
    for (const [index, response] of responses.entries()) {
      const { decidedAt } = response;
      const { records, rejects, rejectCount } = parseArchived(response.body, campaignSummarySchema);
      const rows = await readCurrentRows(transaction, window);
      const decision = archivedDecision(response, rows, { records, rejects }, isFinal);
      if (decision.decision === 'apply') isFinal = decision.provisional === null;
      const entry = { ...window, ...response, contentHash: contentHash(records) };
      await followDecision(transaction, entry, decision, recordedTime(decidedAt));
      if (index === responses.length - 1 && failure.failure === null)
        await replaceRejects(transaction, { ...entry, rejects, rejectCount }, recordedTime(decidedAt));
    }
    await restoreFailure(transaction, window, failure);
  });
}

/**
 * The archived decision on a response, with what it changes now.
 *
 * @param isFinal the current rows are confirmed
 */
function archivedDecision(
  { decision, anomalies, isOver }: FollowedResponse,
  rows: readonly CurrentRow[],
  { records, rejects }: Pick<LoadCandidate, 'records' | 'rejects'>,
  isFinal: boolean,
): LoadDecision {
  if (decision === 'kept') return { decision: 'keep', anomalies };
  if (decision === 'held') {
    const current = rows.filter((row) => !row.withdrawn);
    // Nothing speaks against it as this version reads it.
    const held = heldReason(current, { records, rejects }, anomalies) ?? {
      code: 'unreadable' as const,
      because: 'it was held',
    };
    return { decision: 'hold', anomalies, ...held };
  }
  return {
    decision: 'apply',
    anomalies,
    provisional: decision === 'loaded' ? null : provisionalReason(isOver, anomalies),
    change: compareDay(rows, records, isFinal, rejects),
  };
}

/**
 * Rebuilds the clients of each account from all of its walks. A part of the walks would make old names current,
 * so an account with walks outside of the days stays as it is.
 */
async function replayClients({ warehouse, config, log, signal }: Run, { from, to }: DayRange): Promise<void> {
  for (const { id, name } of await walkedAccounts(warehouse)) {
    signal.throwIfAborted();
    const { walks, whole } = await readWalks(warehouse, id);
    const days = walks.map((walk) => walk.day).sort();
    const logKept = (why: string) =>
      log.warn({ account: name }, `${name}: its clients stay as they are: ${why}`);
    if (!whole) {
      logKept('not all pages of its walks are archived');
    } else if (days[0]! < from || days.at(-1)! > to) {
      logKept(`they were walked from ${days[0]} to ${days.at(-1)}`);
    } else {
      await inTransaction(warehouse, async (transaction) => {
        await clearClients(transaction, id);
        for (const walk of walks) await rebuildWalk(transaction, walk, config.service.balanceField);
      });
    }
  }
}

/** Loads the clients of an archived walk again and, if it was complete, marks the absent ones. */
async function rebuildWalk(
  transaction: Transaction,
  walk: ArchivedWalk,
  balanceField: string | null,
): Promise<void> {
  const schema = clientListSchema(balanceField);
  const listed = new Set<number | null>();
  for await (const { decidedAt, bodies } of readLoads(transaction, walk.id)) {
    const pages = bodies.map((body) => parseArchived(body, schema)).filter((page) => !isUnreadable(page));
    await upsertClients(transaction, walk, newestOfEach(pages), recordedTime(decidedAt));
    for (const { records, rejects, rejectCount } of pages) {
      for (const { clientId } of records) listed.add(clientId);
      for (const { id } of rejects) listed.add(id);
      // Only the first rejects are kept: the others could be any client.
      if (rejectCount > rejects.length) listed.add(null);
    }
  }
  const everyIdIsKnown = !listed.has(null);
  if (walk.complete)
    await applyCompleteWalk(transaction, walk, everyIdIsKnown ? (listed as Set<number>) : null);
}
